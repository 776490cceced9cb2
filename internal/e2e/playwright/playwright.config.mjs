import { defineConfig } from "@playwright/test";
import { patience } from "../patience.mjs";

// One worker: all tests share the browser behind the endpoint.
export default defineConfig({
  testDir: "specs",
  testMatch: process.env.SPECS?.split(" ") ?? "*.spec.mjs",
  outputDir: process.env.SCRATCH,
  workers: 1,
  fullyParallel: false,
  timeout: 10 * patience(6_000),
  expect: { timeout: patience(15_000) },
  forbidOnly: !!process.env.CI,
  preserveOutput: "never",
});
