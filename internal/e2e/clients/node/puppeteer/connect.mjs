import puppeteer from "puppeteer-core";
import { patience } from "../../../patience.mjs";
import { appPage, checks, endpoint } from "../support.mjs";

const { PROTOCOL: protocol = "cdp" } = process.env; // or webDriverBiDi
export const bidi = protocol !== "cdp";

export const connect = (options) => puppeteer.connect({ browserURL: endpoint, protocol, defaultViewport: null, protocolTimeout: patience(15_000), ...options });

/** check declares a check of { browser, page }, the page showing the app. */
export const check = checks(async () => {
  const browser = await connect();
  const [page] = await browser.pages();
  page.setDefaultTimeout(patience(10_000));
  await page.goto(appPage);
  return { browser, page, close: () => browser.disconnect() };
});
