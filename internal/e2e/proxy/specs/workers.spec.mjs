// Service workers of the app, and workers that workers start.

import { app, expect, pathOf, test } from "../fixtures.mjs";

const script = (body) => pathOf(body, { path: "/sw.js", type: "text/javascript" });
const claim = `self.addEventListener("install", () => skipWaiting()); self.addEventListener("activate", (e) => e.waitUntil(clients.claim()));`;

/** Registers a service worker and waits until it controls the page. */
const install = (page, body) =>
  page.evaluate(
    async (address) => {
      const controls = new Promise((resolve) => {
        navigator.serviceWorker.oncontrollerchange = resolve;
      });
      await navigator.serviceWorker.register(address, { scope: "/" });
      await controls;
    },
    script(claim + body),
  );

test("a service worker that answers everything leaves the agent alone", async ({ page }) => {
  await install(
    page,
    `self.addEventListener("fetch", (e) => e.respondWith(e.request.mode === "navigate" ? fetch(e.request) : new Response("by the worker")));`,
  );
  await page.goto(app + pathOf("<h1>alive</h1>"));
  await expect(page.locator("h1")).toHaveText("alive");
  expect(await page.evaluate(async () => (await fetch("/other")).text())).toBe("by the worker");
});

test("documents that a service worker makes have an agent", async ({ page }) => {
  await install(
    page,
    `self.onfetch = (e) => e.respondWith(new Response("<!doctype html><h1>made</h1>", { headers: { "content-type": "text/html" } }));`,
  );
  await page.goto(`${app}/made`);
  await expect(page.locator("h1")).toHaveText("made");
  expect(await page.evaluate(() => document.scripts.length)).toBe(0);
});

test("a worker of a worker is one, and its requests are intercepted", async ({ page }) => {
  await page.route("**/api", (route) => route.fulfill({ body: "made" }));
  const inner =
    app +
    pathOf("fetch('/api').then((r) => r.text()).then(console.log); onmessage = close", {
      path: "/inner.js",
      type: "text/javascript",
    });
  const outer =
    app +
    pathOf(`const w = new Worker(${JSON.stringify(inner)}); onmessage = () => w.terminate()`, {
      path: "/outer.js",
      type: "text/javascript",
    });
  const logged = page.waitForEvent("console");
  await page.evaluate((address) => {
    window.w = new Worker(address);
  }, outer);
  expect((await logged).text()).toBe("made");
  await expect.poll(() => page.workers().map((w) => w.url())).toEqual([outer, inner]);
  await page.evaluate(() => window.w.postMessage(0));
  await expect.poll(() => page.workers().map((w) => w.url())).toEqual([outer]);
});

test("a worker is of the frame that has started it, knows of its network, and starts workers of Blobs", async ({
  page,
  context,
}) => {
  await page.goto(app + pathOf(`<iframe src="/page"></iframe>`));
  const [, child] = page.frames();
  const coming = page.waitForEvent("worker");
  await child.evaluate(() => {
    window.w = new Worker(URL.createObjectURL(new Blob([""], { type: "text/javascript" })));
  });
  const worker = await coming;
  const [request] = await Promise.all([
    page.waitForRequest("**/echo"),
    worker.evaluate((u) => fetch(u).then((r) => r.text()), `${app}/echo`),
  ]);
  expect(request.frame()).toBe(child);
  await context.setOffline(true);
  await expect.poll(() => worker.evaluate(() => navigator.onLine)).toBe(false);
  expect(await worker.evaluate((u) => fetch(u).catch((e) => e.name), `${app}/echo`)).toBe("TypeError");
  await context.setOffline(false);
  await expect.poll(() => worker.evaluate(() => navigator.onLine)).toBe(true);
  const logged = page.waitForEvent("console");
  await worker.evaluate(() => {
    self.inner = new Worker(URL.createObjectURL(new Blob(["console.log('inner', self.name)"])), { name: "mine" });
  });
  expect((await logged).text()).toBe("inner mine");
});
