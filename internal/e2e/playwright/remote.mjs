// A Playwright client that is told what to do. A line of its input is
// {"id":1,"script":"return await page.title()"}, and a line of its output the
// answer: {"id":1,"value":…} or {"id":1,"error":"…"}. Scripts run side by side,
// have chromium, endpoint and site, and share what they assign without declaring it.
import { createInterface } from "node:readline";
import { chromium } from "@playwright/test";

const { ENDPOINT, SITE } = process.env;
Object.assign(globalThis, { chromium, endpoint: ENDPOINT, site: SITE });

const Script = (async () => {}).constructor;

async function run({ id, script }) {
  try {
    return { id, value: (await new Script(script)()) ?? null };
  } catch (e) {
    return { id, error: e.message };
  }
}

createInterface({ input: process.stdin })
  .on("line", async (line) => console.log(JSON.stringify(await run(JSON.parse(line)))))
  .on("close", () => process.exit());
