// Going places and waiting for them.

import { patience } from "../../patience.mjs";
import { app, expect, other, pageOf, test } from "../fixtures.mjs";

test("goto: answers with the response", async ({ page }) => {
  const response = await page.goto(pageOf("<p>hi</p>"));
  expect(response.status()).toBe(200);
  expect(response.ok()).toBe(true);
  expect(response.url()).toBe(page.url());
});

test("goto: a status of 404 is a response", async ({ page, inFrame }) => {
  const response = await page.goto(pageOf("<p>none</p>", { status: 404 }));
  expect(response.status()).toBe(inFrame() ? 200 : 404);
  await expect(page.locator("p")).toHaveText("none");
});

for (const waitUntil of ["commit", "domcontentloaded", "load", "networkidle"]) {
  test(`goto: until ${waitUntil}`, async ({ page }) => {
    await page.goto(pageOf("<img src=/slow?ms=300>", { title: waitUntil }), { waitUntil });
    await expect(page).toHaveTitle(waitUntil);
    if (waitUntil === "load" || waitUntil === "networkidle") {
      expect(await page.evaluate(() => document.readyState)).toBe("complete");
    }
  });
}

test("goto: another fragment keeps the document", async ({ page }) => {
  await page.goto(pageOf("<p>x</p>"));
  await page.evaluate(() => { window.kept = true; });
  const response = await page.goto(`${pageOf("<p>x</p>")}#there`);
  expect(response).toBeNull();
  expect(page.url()).toContain("#there");
  expect(await page.evaluate(() => [window.kept, location.hash])).toEqual([true, "#there"]);
});

test("goto: a redirect ends where it leads", async ({ page }) => {
  const to = pageOf("<p>end</p>");
  const response = await page.goto(`${app}/redirect?${new URLSearchParams({ to })}`);
  expect(page.url()).toBe(to);
  expect(response.status()).toBe(200);
});

test("goto: another origin and back", async ({ page }) => {
  await page.goto(pageOf("<p>elsewhere</p>", { origin: other }));
  expect(await page.evaluate(() => location.origin)).toBe(other);
  await expect(page.locator("p")).toHaveText("elsewhere");
  await page.goto(pageOf("<p>home</p>"));
  await expect(page.locator("p")).toHaveText("home");
});

test("goto: an address of another origin that the frame may not show", async ({ page, inFrame }) => {
  const refused = page.goto("http://127.0.0.1:1/");
  await expect(refused).rejects.toThrow(inFrame() ? "is not allowed for this Target" : "net::ERR_UNSAFE_PORT");
  await page.waitForTimeout(300); // Chromium shows a page of its own
  await page.goto(pageOf("<p>goes on</p>"));
  await expect(page.locator("p")).toHaveText("goes on");
});

test("goto: data: URLs, with an init script first, and out of them", async ({ page }) => {
  await page.addInitScript(() => { window.early = "early"; });
  const url = "data:text/html,<!doctype html><title>t</title><button onclick='this.textContent=early'>Go</button>";
  await page.goto(url);
  expect(decodeURI(page.url())).toBe(url);
  await page.getByRole("button").click();
  await expect(page.getByRole("button")).toHaveText("early");
  expect(await page.evaluate(() => [document.compatMode, origin])).toEqual(["CSS1Compat", "null"]);
  await page.goto(`data:text/html;base64,${Buffer.from("<p>from bytes</p>").toString("base64")}#end`);
  await expect(page.locator("p")).toHaveText("from bytes");
  await page.goto(pageOf("<p>out</p>"));
  await expect(page.locator("p")).toHaveText("out");
});

test("goto: an address that is none", async ({ page }) => {
  await expect(page.goto("http://")).rejects.toThrow("invalid URL");
});

test("goto: a second one overtakes the first", async ({ page }) => {
  const first = page.goto(`${app}/slow?ms=20000`).then(() => "arrived", (e) => e.message);
  await page.waitForTimeout(200);
  await page.goto(pageOf("<p>second</p>"));
  expect(await first).toMatch(/ERR_ABORTED|interrupted by another navigation/);
  await expect(page.locator("p")).toHaveText("second");
});

test("goto: about:blank and back", async ({ page }) => {
  expect(await page.goto("about:blank")).toBeNull();
  expect(page.url()).toBe("about:blank");
  await page.goto(pageOf("<p>back</p>"));
  await expect(page.locator("p")).toHaveText("back");
});

test("goto: a time limit", async ({ page }) => {
  await expect(page.goto(pageOf("", { delay: 1500 }), { timeout: 500 })).rejects.toThrow("Timeout 500ms exceeded");
  await page.waitForTimeout(2_000); // the navigation goes on
  await page.goto(pageOf(""));
});

test("reload: a new document with the same address", async ({ show }) => {
  const page = await show("<p>x</p>");
  await page.evaluate(() => { window.old = true; });
  const response = await page.reload();
  expect(response.status()).toBe(200);
  expect(await page.evaluate(() => window.old)).toBeUndefined();
  await expect(page.locator("p")).toHaveText("x");
});

test("back: to the document before, and forward again", async ({ page }) => {
  const [one, two] = [pageOf("<p>one</p>"), pageOf("<p>two</p>")];
  await page.goto(one);
  await page.goto(two);
  await page.goBack();
  expect(page.url()).toBe(one);
  await expect(page.locator("p")).toHaveText("one");
  await page.goForward();
  expect(page.url()).toBe(two);
  await expect(page.locator("p")).toHaveText("two");
});

test("back: within a document", async ({ show }) => {
  const page = await show("<p></p><script>onpopstate=()=>document.querySelector('p').textContent=location.hash||'none'</script>");
  const before = page.url();
  await page.evaluate(() => history.pushState({}, "", "#a"));
  await expect(page).toHaveURL(/#a$/);
  await page.goBack();
  expect(page.url()).toBe(before);
  await expect(page.locator("p")).toHaveText("none");
});

test("forward: within a document", async ({ show }) => {
  const page = await show("");
  await page.evaluate(() => history.pushState({}, "", "#a"));
  await page.goBack();
  await page.goForward();
  await expect(page).toHaveURL(/#a$/);
});

test("wait for: an address", async ({ show }) => {
  const page = await show("<button onclick='setTimeout(()=>history.pushState(0,0,\"?done\"),100)'>Go</button>");
  await page.click("button");
  await page.waitForURL("**/p?done");
  expect(page.url()).toMatch(/done$/);
});

test("wait for: a click that leads to another document", async ({ show }) => {
  const page = await show(`<a href="${pageOf("<p>arrived</p>")}">link</a>`);
  await page.click("a");
  await expect(page.locator("p")).toHaveText("arrived");
  expect(await page.evaluate(() => document.querySelectorAll("a").length)).toBe(0);
});

test("wait for: a form that is sent", async ({ show }) => {
  const page = await show('<form action="/p"><input name="html" value="<h1>sent</h1>"><button>Send</button></form>');
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  await expect(page.locator("h1")).toHaveText("sent");
});

test("wait for: an element that comes, shows, hides and goes", async ({ show }) => {
  const page = await show("<div id=d style='display:none'>x</div>");
  await page.evaluate(() => setTimeout(() => { d.style.display = ""; }, 100));
  await page.waitForSelector("#d", { state: "visible" });
  await page.evaluate(() => setTimeout(() => { d.style.display = "none"; }, 100));
  await page.waitForSelector("#d", { state: "hidden" });
  await page.evaluate(() => setTimeout(() => d.remove(), 100));
  await page.waitForSelector("#d", { state: "detached" });
});

test("wait for: a function", async ({ show }) => {
  const page = await show("");
  await page.evaluate(() => setTimeout(() => { window.ready = 7; }, 200));
  const handle = await page.waitForFunction(() => window.ready);
  expect(await handle.jsonValue()).toBe(7);
});

test("wait for: load states", async ({ page }) => {
  await page.goto(pageOf("<img src=/slow?ms=300>"), { waitUntil: "commit" });
  await page.waitForLoadState("domcontentloaded");
  await page.waitForLoadState("load");
  await page.waitForLoadState("networkidle");
  expect(await page.evaluate(() => document.readyState)).toBe("complete");
});

test("wait for: in vain, with a time limit", async ({ show }) => {
  const page = await show("");
  await expect(page.waitForSelector("#none", { timeout: 300 })).rejects.toThrow("Timeout 300ms exceeded");
});

test("navigation events: in order", async ({ page }) => {
  const events = [];
  for (const name of ["framenavigated", "domcontentloaded", "load"]) page.on(name, () => events.push(name));
  await page.goto(pageOf("<p>x</p>"));
  expect(events).toEqual(["framenavigated", "domcontentloaded", "load"]);
});

test("navigation events: of one within the document", async ({ show }) => {
  const page = await show("");
  const moved = page.waitForEvent("framenavigated");
  await page.evaluate(() => history.pushState({}, "", "#in"));
  expect((await moved).url()).toMatch(/#in$/);
});

test("set content: replaces the document's", async ({ page }) => {
  await page.setContent("<title>Set</title><p>content</p>");
  await expect(page).toHaveTitle("Set");
  expect(await page.content()).toContain("<p>content</p>");
  await page.setContent("<p>again</p>");
  await expect(page.locator("p")).toHaveText("again");
});

test("set content: scripts run, and what they load is waited for", async ({ page }) => {
  await page.setContent(`<script src="${app}/script.js"></script><img src="${app}/pixel.png">`);
  expect(await page.evaluate(() => [window.scriptRan, document.images[0].complete])).toEqual([true, true]);
});

test("set content: a script and a style are added", async ({ page }) => {
  await page.setContent("<p>x</p>");
  await page.addScriptTag({ content: "window.added=1" });
  await page.addScriptTag({ url: `${app}/script.js` });
  await page.addStyleTag({ content: "p{color:rgb(9,9,9)}" });
  expect(await page.evaluate(() => [window.added, window.scriptRan])).toEqual([1, true]);
  await expect(page.locator("p")).toHaveCSS("color", "rgb(9, 9, 9)");
});

test("goto: after a link to where no server answers", async ({ show }) => {
  // Firefox fires no load event for the error page in a frame, so that the Host waits 20 s for an agent.
  test.setTimeout(10 * patience(6_000));
  const timeout = patience(25_000);
  const page = await show("<a href='http://127.0.0.1:9/'>away</a>");
  const arrived = page.waitForNavigation({ timeout }).catch((e) => e);
  await page.getByText("away").click({ timeout });
  const error = await arrived;
  expect(error).toBeInstanceOf(Error);
  // The request fails before the error page commits, which would interrupt goto, in a plain Chromium too. WebKit's
  // frame reports neither.
  if (/net::ERR/.test(error.message)) await expect.poll(() => page.url(), { timeout }).toMatch(/^chrome-error:/);
  await page.goto(pageOf("<p>back</p>"));
  await expect(page.locator("p")).toHaveText("back");
});

for (const [how, leave] of Object.entries({
  goto: (page) => page.goto(pageOf("<p>there</p>")),
  reload: (page) => page.reload(),
  link: (page) => Promise.all([page.waitForURL(/there/), page.getByText("away").click()]),
  script: (page) => Promise.all([page.waitForURL(/there/), page.evaluate((to) => { location.href = to; }, pageOf("<p>there</p>"))]),
})) {
  test(`dialog: beforeunload, the client is asked, by ${how}`, async ({ show }) => {
    const page = await show(`<input oninput="window.addEventListener('beforeunload',(e)=>e.preventDefault())"><a href="${pageOf("<p>there</p>")}">away</a>`);
    const asked = [];
    const answer = (how) => page.once("dialog", (d) => (asked.push([d.type(), d.message()]), d[how]()));
    await page.evaluate(() => dispatchEvent(new Event("nothing"))); // no question before anything was typed
    await page.locator("input").pressSequentially("x");
    answer("dismiss");
    const stays = leave(page).catch((e) => e);
    await expect.poll(() => asked.length).toBe(1);
    if (how === "goto") expect((await stays).message).toContain("net::ERR_ABORTED");
    await expect(page.locator("input")).toHaveValue("x");
    answer("accept");
    await leave(page);
    if (how !== "reload") await expect(page.locator("p")).toHaveText("there");
    expect(asked).toEqual([["beforeunload", ""], ["beforeunload", ""]]);
  });
}

test("dialog: beforeunload, no client is asked before a click or a key", async ({ show }) => {
  const page = await show("<script>addEventListener('beforeunload',(e)=>e.preventDefault())</script>");
  page.on("dialog", (d) => d.dismiss());
  await page.goto(pageOf("<p>there</p>"));
  await expect(page.locator("p")).toHaveText("there");
});

test("dialog: beforeunload, close asks, and without runBeforeUnload it does not", async ({ context, page: first }) => {
  for (const runBeforeUnload of [true, false]) {
    const page = await context.newPage();
    await page.goto(pageOf("<input oninput=\"onbeforeunload=()=>'unsaved'\">"));
    await page.locator("input").pressSequentially("x");
    const types = [];
    page.on("dialog", (d) => (types.push(d.type()), d.accept()));
    await Promise.all([page.waitForEvent("close"), page.close({ runBeforeUnload })]);
    expect(types).toEqual(runBeforeUnload ? ["beforeunload"] : []);
  }
  expect(await first.evaluate(() => 1)).toBe(1);
});

test("navigation events: a new fragment", async ({ show }) => {
  const page = await show("<p>x</p>");
  await page.evaluate(() => { location.hash = "new"; });
  expect(page.url()).toMatch(/#new$/);
});

test("click: a link and a form of a blank page are waited for", async ({ page }) => {
  await page.goto("about:blank");
  await page.setContent(`<a href="${pageOf("<p>linked</p>", { delay: 300 })}">go</a>`);
  await page.click("a");
  expect(await page.textContent("p")).toBe("linked");
  for (const method of ["get", "post"]) {
    await page.goto("about:blank");
    await page.setContent(`<form action="${app}/p" method=${method}><input name=html value="&lt;p>sent by ${method}&lt;/p>"><button>send</button></form>`);
    await page.click("button");
    expect(await page.textContent("p")).toBe(`sent by ${method}`);
  }
});
