// How the page suite of Playwright gets its pages here. run.mjs puts this file in the place of the suite's
// webview/webviewTest.ts, which the suite has for pages of a foreign browser (PWPAGE_IMPL=webkit-webview).

import { baseTest } from "../config/baseTest";
import { serverFixtures } from "../config/serverFixtures";

export { expect } from "@playwright/test";

const { HUB, APP, SLOT } = process.env;

/** The suite starts a worker after each failure, on other ports. The hub serves one app all the time. */
const onePort = async ({ loopback }: any, use: any) =>
  (serverFixtures as any).__servers[0]({ loopback }, async (servers: any) => use(asServed(servers)), {
    workerIndex: Number(SLOT),
  });

/** The app has the addresses at which the proxy serves it: two origins, since 127.0.0.1 is not localhost. */
function asServed(servers: any): any {
  if (!APP) return servers;
  const { host, hostname, port } = new URL(APP);
  Object.assign(servers.server, {
    PORT: Number(port),
    PREFIX: APP,
    CROSS_PROCESS_PREFIX: `http://localhost:${port}`,
    EMPTY_PAGE: `${APP}/empty.html`,
    HELLO_WORLD: `${APP}/hello-world`,
    HOST: host,
    HOSTNAME: hostname,
  });
  return servers;
}

/** Runs in the page. Frames share the storage of their browser, so that a test would find what the one before has left. */
async function forget() {
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.map((worker) => worker.unregister()));
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
  localStorage.clear();
  sessionStorage.clear();
}

export const webviewTest = baseTest.extend<any, any>({
  __servers: [onePort, { scope: "worker" }],
  hub: [
    async ({ playwright }, use) => {
      const browser = await playwright.chromium.connectOverCDP(HUB);
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
  ],
  browserVersion: [async ({ hub }, use) => use(hub.version()), { scope: "worker" }],
  browserMajorVersion: [async ({ hub }, use) => use(parseInt(hub.version())), { scope: "worker" }],
  electronMajorVersion: [0, { scope: "worker" }],
  isBidi: [false, { scope: "worker" }],
  isAndroid: [false, { scope: "worker" }],
  isElectron: [false, { scope: "worker" }],
  isHeadlessShell: [true, { scope: "worker" }],
  isFrozenWebkit: [false, { scope: "worker" }],
  page: async ({ hub }, use) => {
    const [context] = hub.contexts();
    const before = new Set(context.pages());
    const page = await context.newPage();
    await use(page);
    // The context is that of all tests, and one may have set them.
    context.setDefaultTimeout(30_000);
    context.setDefaultNavigationTimeout(30_000);
    await Promise.race([page.evaluate(forget).catch(() => {}), new Promise((late) => setTimeout(late, 1000))]);
    for (const opened of context.pages()) if (!before.has(opened)) await opened.close();
    await context.clearCookies();
  },
});
