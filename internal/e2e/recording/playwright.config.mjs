import { defineConfig } from "@playwright/test";

// The tests are those that cdphub has written, or the one of the HAR file.
export default defineConfig({
  testDir: process.env.SPECS,
  outputDir: process.env.SCRATCH,
  workers: 1,
  timeout: 60_000,
  preserveOutput: "never",
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] } },
});
