import { defineConfig } from "@playwright/test";

// One worker: the tests share the hubs.
export default defineConfig({
  testMatch: "*.spec.mjs",
  outputDir: process.env.SCRATCH,
  workers: 1,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: !!process.env.CI,
  preserveOutput: "never",
  use: { browserName: "chromium", launchOptions: { executablePath: process.env.BROWSER, args: ["--no-sandbox"] } },
});
