import { defineConfig } from "@playwright/test";

const { BROWSER, FIREFOX, SCRATCH, CI } = process.env;

// One worker: the tests share the hubs.
export default defineConfig({
  testMatch: "*.spec.mjs",
  outputDir: SCRATCH,
  workers: 1,
  fullyParallel: false,
  timeout: 240_000,
  expect: { timeout: 60_000 },
  forbidOnly: !!CI,
  preserveOutput: "never",
  projects: [
    {
      name: "chromium",
      use: { browserName: "chromium", launchOptions: { executablePath: BROWSER, args: ["--no-sandbox"] } },
    },
    {
      // Debian's own Firefox, by WebDriver BiDi.
      name: "firefox",
      testMatch: "dashboard.spec.mjs",
      use: { browserName: "firefox", channel: "moz-firefox", launchOptions: { executablePath: FIREFOX } },
    },
  ],
});
