// Frames of the app, and the ways to it.

import { app, expect, other, pathOf, test, upstream } from "../fixtures.mjs";

test("a child frame of the app at the other name of this machine has an agent", async ({ page }) => {
  await page.goto(app + pathOf(`<iframe src="${other}/page?body=<h1>inside</h1>"></iframe>`));
  await expect(page.frameLocator("iframe").locator("h1")).toHaveText("inside");
});

test("a link to the app's own address leads to the proxy", async ({ page }) => {
  await page.goto(app + pathOf(`<a href="${upstream}/page?body=there">go</a>`));
  await page.getByText("go").click();
  await page.waitForURL(`${app}/page?body=there`);
  await expect(page.locator("body")).toHaveText("there");
});

test("a form that is posted to the app's own address leads to the proxy", async ({ page }) => {
  await page.goto(
    app +
      pathOf(
        `<form method=post action="${upstream}/echo"><input name=a value="1 &"><button name=b value=2>send</button></form>`,
      ),
  );
  await page.getByText("send").click();
  await page.waitForURL(`${app}/echo`);
  expect(JSON.parse(await page.locator("pre").textContent())).toMatchObject({ method: "POST", body: "a=1+%26&b=2" });
});

test("a form that script submits to the app's own address leads to the proxy", async ({ page }) => {
  await page.goto(app + pathOf(`<form method=post action="${upstream}/echo"><input name=a value=1></form>`));
  await page.evaluate(() => document.forms[0].submit());
  await page.waitForURL(`${app}/echo`);
  expect(JSON.parse(await page.locator("pre").textContent())).toMatchObject({ method: "POST", body: "a=1" });
});

test("script that asks the app at its own address asks the proxy", async ({ page }) => {
  const answers = await page.evaluate(async (address) => {
    const byFetch = await (await fetch(`${address}/page?body=one`)).text();
    const byXhr = await new Promise((resolve) => {
      const x = new XMLHttpRequest();
      x.onload = () => resolve(x.responseText);
      x.onerror = () => resolve("error");
      x.open("GET", `${address}/page?body=two`);
      x.send();
    });
    return [byFetch, byXhr];
  }, upstream);
  expect(answers).toEqual(["one", "two"].map((text) => expect.stringContaining(text)));
});

test("a popup of the app's own address is one of the proxy", async ({ page, context }) => {
  const opened = context.waitForEvent("page");
  await page.evaluate((address) => void window.open(`${address}/page?body=popup`), upstream);
  const popup = await opened;
  await expect(popup.locator("body")).toHaveText("popup");
  expect(popup.url()).toBe(`${app}/page?body=popup`);
});

test("an app that is cross-origin isolated in a tab is isolated in the frame, with its own frames and workers", async ({ page }) => {
  const embedder = "Cross-Origin-Embedder-Policy: require-corp";
  const h = ["Cross-Origin-Opener-Policy: same-origin", embedder];
  const inner = pathOf("<p>inner</p>", { h: [embedder] });
  await page.goto(app + pathOf(`<iframe src="${inner.replaceAll("&", "&amp;")}"></iframe>`, { h }));
  const isolated = () => [crossOriginIsolated, new SharedArrayBuffer(8).byteLength];
  expect(await page.evaluate(isolated)).toEqual([true, 8]);
  await expect(page.frameLocator("iframe").locator("p")).toHaveText("inner");
  expect(await page.frames()[1].evaluate(isolated)).toEqual([true, 8]);
  expect(await page.evaluate(() => frames[0].document.body.textContent)).toBe("inner");
  const script = pathOf("onmessage = (e) => { new Int32Array(e.data)[0] = 7; postMessage(crossOriginIsolated) }", {
    type: "text/javascript",
    h: [embedder],
  });
  const shared = await page.evaluate(async (address) => {
    const [memory, worker] = [new SharedArrayBuffer(8), new Worker(address)];
    worker.postMessage(memory);
    const answer = await new Promise((done) => (worker.onmessage = (e) => done(e.data)));
    return [answer, new Int32Array(memory)[0]];
  }, script);
  expect(shared).toEqual([true, 7]);
  await page.goto(app + pathOf("<p>plain</p>"));
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
});

test("the frame may use what the app may use in a tab", async ({ page }) => {
  const denied = await page.evaluate(() => {
    const { featurePolicy } = document;
    // Client hints need the browser's own consent of a server.
    return featurePolicy.features().filter((name) => !name.startsWith("ch-") && !featurePolicy.allowsFeature(name));
  });
  expect(denied).toEqual([]);
});
