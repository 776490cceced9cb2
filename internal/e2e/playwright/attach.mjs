// A client that has attached to the page at HUB, and lets it work until standard input
// ends. DOCUMENT says whether it also follows the DOM tree.
import { chromium } from "@playwright/test";

const { HUB, DOCUMENT } = process.env;
const browser = await chromium.connectOverCDP(HUB);
const [page] = browser.contexts()[0].pages();
const cdp = await page.context().newCDPSession(page);
await cdp.send("DOM.enable");
if (DOCUMENT) await cdp.send("DOM.getDocument", { depth: -1 });
console.log(await page.title());
for await (const _ of process.stdin);
await browser.close();
