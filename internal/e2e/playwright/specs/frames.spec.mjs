// Frames in the page, popups.

import { app, expect, other, pageOf, test } from "../fixtures.mjs";

const child = (html, options) => `<iframe name=kid src="${pageOf(html, options)}"></iframe>`;

for (const [name, options] of [["same origin", {}], ["other origin", { origin: other }]]) {
  test(`frames: of the ${name}, listed with url and name`, async ({ show }) => {
    const page = await show(child("<p>inside</p>", options));
    expect(page.frames()).toHaveLength(2);
    const frame = page.frame("kid");
    expect(frame.url()).toBe(pageOf("<p>inside</p>", options));
    expect(frame.parentFrame()).toBe(page.mainFrame());
    expect(await frame.evaluate(() => document.querySelector("p").textContent)).toBe("inside");
  });

  test(`frames: of the ${name}, filled and clicked`, async ({ show }) => {
    const page = await show(`<div style="height:60px"></div>${child("<input><button onclick='this.textContent=document.querySelector(\"input\").value'>x</button>", options)}`);
    const frame = page.frameLocator("iframe");
    await frame.locator("input").fill("typed");
    await frame.locator("button").click();
    await expect(frame.locator("button")).toHaveText("typed");
  });

  test(`frames: of the ${name}, led elsewhere`, async ({ show }) => {
    const page = await show(child("<p>one</p>", options));
    const frame = page.frame("kid");
    const response = await frame.goto(pageOf("<p>two</p>", options));
    expect(response.status()).toBe(200);
    await expect(page.frameLocator("iframe").locator("p")).toHaveText("two");
    expect(page.frames()).toHaveLength(2);
  });

  test(`frames: of the ${name}, keyboard`, async ({ show }) => {
    const page = await show(child("<input>", options));
    await page.frameLocator("iframe").locator("input").pressSequentially("abc");
    await expect(page.frameLocator("iframe").locator("input")).toHaveValue("abc");
  });
}

for (const [name, options] of [["the app", {}], ["another origin", { origin: other }]]) {
  test(`frames: of ${name} in a blank page`, async ({ context }) => {
    const page = await context.newPage();
    await page.setContent(`<div style="height:60px"></div>${child("<input><button onclick='this.textContent=document.querySelector(\"input\").value'>x</button>", options)}`);
    const frame = page.frameLocator("iframe");
    await frame.locator("input").fill("typed");
    await frame.locator("button").click();
    await expect(frame.locator("button")).toHaveText("typed");
    expect(page.frame("kid").parentFrame()).toBe(page.mainFrame());
    await page.close();
  });
}

test("frames: content frame and frame element", async ({ show }) => {
  const page = await show(child("<p>x</p>"));
  const element = await page.$("iframe");
  const frame = await element.contentFrame();
  expect(frame).toBe(page.frame("kid"));
  const owner = await frame.frameElement();
  expect(await owner.getAttribute("name")).toBe("kid");
  expect(await (await frame.$("p")).ownerFrame()).toBe(frame);
});

test("frames: attached and detached by script", async ({ show }) => {
  const page = await show("");
  const attached = page.waitForEvent("frameattached");
  await page.evaluate((src) => { const f = document.createElement("iframe"); f.src = src; document.body.append(f); }, pageOf("<p>late</p>"));
  const frame = await attached;
  await expect(page.frameLocator("iframe").locator("p")).toHaveText("late");
  const detached = page.waitForEvent("framedetached");
  await page.evaluate(() => document.querySelector("iframe").remove());
  expect(await detached).toBe(frame);
  expect(frame.isDetached()).toBe(true);
  expect(page.frames()).toHaveLength(1);
});

test("frames: a document in the attribute", async ({ show }) => {
  const page = await show("<iframe srcdoc='<p>written</p>'></iframe>");
  await expect(page.frameLocator("iframe").locator("p")).toHaveText("written");
});

test("frames: one in another", async ({ show }) => {
  const page = await show(child(child("<p>deep</p>")));
  await expect(page.frameLocator("iframe").frameLocator("iframe").locator("p")).toHaveText("deep");
  expect(page.frames()).toHaveLength(3);
  expect(page.mainFrame().childFrames()[0].childFrames()).toHaveLength(1);
});

test("frames: a click at its place on the page", async ({ show }) => {
  const page = await show(`<div style="height:90px"></div>${child("<button onclick='document.title=1'>x</button>")}`);
  const box = await page.frameLocator("iframe").locator("button").boundingBox();
  expect(box.y).toBeGreaterThan(90);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  expect(await page.frame("kid").title()).toBe("1");
});

test("frames: console of a frame", async ({ show }) => {
  const page = await show(child(""));
  const message = page.waitForEvent("console");
  await page.frame("kid").evaluate(() => console.log("from inside"));
  expect((await message).text()).toBe("from inside");
});

test("new page: window.open", async ({ context, show }) => {
  const page = await show(`<button onclick="window.open('${pageOf("<p>popped</p>")}')">x</button>`);
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("button")]);
  await expect(popup.locator("p")).toHaveText("popped");
  expect(await popup.opener()).toBe(page);
  expect(context.pages()).toHaveLength(2);
  await popup.close();
});

test("new page: a link to _blank", async ({ context, show }) => {
  const page = await show(`<a target=_blank href="${pageOf("<p>linked</p>")}">x</a>`);
  const [popup] = await Promise.all([context.waitForEvent("page"), page.click("a")]);
  await popup.waitForLoadState();
  await expect(popup.locator("p")).toHaveText("linked");
  await popup.close();
  expect(app).toBeTruthy();
});

test("new page: one that closes itself", async ({ show }) => {
  const page = await show(`<button onclick="window.open('${pageOf("<button onclick=window.close()>bye</button>")}')">x</button>`);
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("button")]);
  const closed = popup.waitForEvent("close");
  await popup.click("button").catch(() => {});
  await closed;
});
