// What programs and people do with a hub through a reverse proxy that ends TLS.

import dns from "node:dns";
import { chromium, expect, test } from "@playwright/test";

/** One hub through one proxy each: the name of the test, and the base of its addresses. */
const places = JSON.parse(process.env.PLACES);

// Playwright connects to the hub from this process, which knows its name by this alone.
const ours = (name) => (name === "hub.example" ? "127.0.0.1" : name);
const { lookup } = dns;
const promised = dns.promises.lookup;
dns.lookup = (name, ...more) => lookup(ours(name), ...more);
dns.promises.lookup = (name, ...more) => promised(ours(name), ...more);

const field = (title) => `data:text/html,<!doctype html><title>${title}</title><body style="background:rgb(10,200,30)"><h1>Field</h1>`;

/** The colour in the middle of a picture. */
const middle = (canvas) =>
  canvas.evaluate((c) => [...c.getContext("2d").getImageData(c.width / 2, c.height / 2, 1, 1).data].slice(0, 3));

/** No request of a page leaves the place, and none is blocked. */
async function watch(context, base) {
  const wrong = [];
  context.on("request", (r) => /^(https?|wss?):/.test(r.url()) && !r.url().startsWith(`${base}/`) && wrong.push(r.url()));
  context.on("page", (page) => {
    page.on("console", (m) => /Content.Security|Mixed Content/.test(m.text()) && wrong.push(m.text()));
    page.on("websocket", (s) => s.url().startsWith(`${base.replace("http", "ws")}/`) || wrong.push(s.url()));
  });
  return wrong;
}

for (const { name, base } of places) {
  test(`R-329 ${name}`, async ({ context, request }) => {
    const wrong = await watch(context, base);
    const socket = base.replace("https", "wss");

    const version = await (await request.get(`${base}/json/version`)).json();
    expect(version.webSocketDebuggerUrl).toBe(`${socket}/devtools/browser`);

    // A program, by the address that discovery names.
    const agent = await chromium.connectOverCDP(base);
    const driven = await agent.contexts()[0].newPage();
    await driven.goto(field(name));
    await expect(driven.getByRole("heading")).toHaveText("Field");

    // A person: the dashboard, the target with its live picture, DevTools, and how to connect.
    const page = await context.newPage();
    await page.goto(`${base}/`);
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect.poll(async () => (await middle(page.locator(".stage canvas")))[1]).toBeGreaterThan(180);
    const [tools] = await Promise.all([context.waitForEvent("page"), page.getByRole("link", { name: "DevTools" }).click()]);
    await expect(tools.getByText("Field").first()).toBeVisible();
    expect(tools.url()).toMatch(new RegExp(`^${base}/devtools/ui/[0-9a-f]+/inspector.html\\?wss=${encodeURIComponent(base.slice(8))}`));
    await tools.close();
    await page.getByRole("link", { name: "Connect", exact: true }).click();
    await expect(page.getByText("connectOverCDP")).toContainText(`"${base}"`);
    await expect(page.getByText("browserWSEndpoint")).toContainText(`"${socket}/devtools/browser"`);
    await expect(page.getByLabel("Address of the app")).toHaveCount(0); // the listener of Host pages is not behind the proxy

    // A handoff: the link of the agent, until the person is done.
    const session = await driven.context().newCDPSession(driven);
    const { url } = await session.send("CdpHub.handoff", { instructions: "Look at it.", timeout: 60_000 });
    expect(url).toMatch(new RegExp(`^${base}/#handoff=`));
    const ended = new Promise((resolve) => session.on("CdpHub.handoffComplete", resolve));
    const guest = await context.newPage();
    await guest.goto(url);
    await guest.getByRole("button", { name: "Click here, or press a key" }).click();
    await guest.getByRole("button", { name: "Done" }).click();
    await ended;
    expect(wrong).toEqual([]);
    await driven.close();
    await agent.close();
  });
}

test("R-328 a live view that is refused says why, and is not live", async ({ page }) => {
  const { STRANGE } = process.env;
  await page.goto(`${STRANGE}/`);
  await expect(page.getByText("Rejected a request from a page of another origin").first()).toBeVisible();
  await expect(page.getByText("No live pictures")).toBeVisible();
  await page.getByRole("listitem").getByRole("link").first().click();
  await expect(page.locator(".stage")).toContainText("Rejected a request from a page of another origin");
  await expect(page.getByText("Live", { exact: true })).toHaveCount(0);
});
