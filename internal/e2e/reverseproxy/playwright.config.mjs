import { defineConfig } from "@playwright/test";

// The name of the hub leads to loopback.
const args = ["--no-sandbox", "--host-resolver-rules=MAP hub.example 127.0.0.1"];

export default defineConfig({
  testMatch: "*.spec.mjs",
  outputDir: process.env.SCRATCH,
  workers: 1,
  fullyParallel: false,
  timeout: 90_000,
  expect: { timeout: 30_000 },
  forbidOnly: !!process.env.CI,
  preserveOutput: "never",
  use: { browserName: "chromium", ignoreHTTPSErrors: true, launchOptions: { executablePath: process.env.BROWSER, args } },
});
