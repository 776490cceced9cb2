// One worker: all tests share one hub and one browser, as the clients of a hub do.
import { join } from "node:path";

export default {
  testDir: join(__dirname, "tests", "page"),
  outputDir: join(__dirname, "results"),
  snapshotPathTemplate: "{testDir}/{testFileDir}/{testFileName}-snapshots/{arg}-chromium{ext}",
  expect: { timeout: 10_000 },
  timeout: 30_000,
  workers: 1,
  retries: 0,
  projects: [{ name: process.env.PROJECT, use: { browserName: "chromium", headless: true, mode: "default" } }],
};
