import { defineConfig } from "@playwright/test";

// One worker: all tests share the browser behind the endpoint.
export default defineConfig({
  testDir: process.env.SPECS ?? "specs",
  outputDir: process.env.SCRATCH,
  workers: 1,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: !!process.env.CI,
  preserveOutput: "never",
});
