// Runs a file of Chrome's Recorder, as people do with npx @puppeteer/replay.
import { readFileSync } from "node:fs";
import { createRunner, parse, PuppeteerRunnerExtension } from "@puppeteer/replay";
import puppeteer from "puppeteer-core";

const flow = parse(JSON.parse(readFileSync(process.argv[2], "utf8")));
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  const runner = await createRunner(flow, new PuppeteerRunnerExtension(browser, page, { timeout: 10_000 }));
  await runner.run();
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "List");
} finally {
  await browser.close();
}
