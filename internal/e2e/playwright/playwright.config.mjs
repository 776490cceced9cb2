import { defineConfig } from "@playwright/test";

/** ms that anything may take where the network fails; 0 elsewhere */
const patience = Number(process.env.PATIENCE ?? 0);

// One worker: all tests share the browser behind the endpoint.
export default defineConfig({
  testDir: "specs",
  testMatch: process.env.SPECS?.split(" ") ?? "*.spec.mjs",
  outputDir: process.env.SCRATCH,
  workers: 1,
  fullyParallel: false,
  timeout: patience ? 10 * patience : 60_000,
  expect: { timeout: patience || 15_000 },
  forbidOnly: !!process.env.CI,
  preserveOutput: "never",
});
