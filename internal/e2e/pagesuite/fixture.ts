// How the page suite of Playwright gets its pages here. run.mjs puts this file in the place of the suite's
// webview/webviewTest.ts, which the suite has for pages of a foreign browser (PWPAGE_IMPL=webkit-webview).

import { baseTest } from "../config/baseTest";
import { serverFixtures } from "../config/serverFixtures";

export { expect } from "@playwright/test";

const { HUB, APP_PORT, SLOT } = process.env;

/** The suite starts a worker after each failure, on other ports. The hub serves one app all the time. */
const onePort = async ({ loopback }: any, use: any) =>
  (serverFixtures as any).__servers[0]({ loopback }, async (servers: any) => use(asServed(servers)), { workerIndex: Number(SLOT) });

/** The app has the addresses at which the proxy serves it: two origins, since localhost is not 127.0.0.1. */
function asServed(servers: any): any {
  if (!APP_PORT) return servers;
  const { server } = servers;
  const prefix = `http://localhost:${APP_PORT}`;
  Object.assign(server, {
    PORT: Number(APP_PORT),
    PREFIX: prefix,
    CROSS_PROCESS_PREFIX: `http://127.0.0.1:${APP_PORT}`,
    EMPTY_PAGE: `${prefix}/empty.html`,
    HELLO_WORLD: `${prefix}/hello-world`,
    HOST: `localhost:${APP_PORT}`,
  });
  return servers;
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
    for (const opened of context.pages()) if (!before.has(opened)) await opened.close();
    await context.clearCookies();
  },
});
