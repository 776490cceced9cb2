// Service workers of the app.

import { app, expect, pathOf, test } from "../fixtures.mjs";

const script = (body) => pathOf(body, { path: "/sw.js", type: "text/javascript" });
const claim = `self.addEventListener("install", () => skipWaiting()); self.addEventListener("activate", (e) => e.waitUntil(clients.claim()));`;

/** Registers a service worker and waits until it controls the page. */
const install = (page, body) => page.evaluate(async (address) => {
  const controls = new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
  await navigator.serviceWorker.register(address, { scope: "/" });
  await controls;
}, script(claim + body));

test("a service worker that answers everything leaves the agent alone", async ({ page }) => {
  await install(page, `self.addEventListener("fetch", (e) => e.respondWith(e.request.mode === "navigate" ? fetch(e.request) : new Response("by the worker")));`);
  await page.goto(app + pathOf("<h1>alive</h1>"));
  await expect(page.locator("h1")).toHaveText("alive");
  expect(await page.evaluate(async () => (await fetch("/other")).text())).toBe("by the worker");
});

test("documents that a service worker makes have an agent", async ({ page }) => {
  await install(page, `self.onfetch = (e) => e.respondWith(new Response("<!doctype html><h1>made</h1>", { headers: { "content-type": "text/html" } }));`);
  await page.goto(`${app}/made`);
  await expect(page.locator("h1")).toHaveText("made");
  expect(await page.evaluate(() => document.scripts.length)).toBe(0);
});
