// Runs Playwright's own page suite at a hub: in an iframe behind `cdphub proxy`, or on a Chromium behind
// `cdphub serve --browser`. CONTRIBUTING.md ("Playwright's own page suite") says how to call it.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [playwright, work, kind, ...options] = process.argv.slice(2);
const cdphub = process.env.CDPHUB ?? "cdphub";
const shell = process.env.CHROMIUM ?? "chromium-headless-shell";
/** Runs with other numbers can go on at the same time, each in a work folder of its own. */
const slot = Number(process.env.SLOT ?? 0);
/** The port of the suite's server: config/serverFixtures.ts. */
const SUITE = 8907 + 4 * slot;
const SIZE = { width: 780, height: 580 };
const BAR = 41; // px, of the Host page above the frame
/** The shell has not by itself what Chromium has on a desk: without it an endless loop in a blank page stops the Host page. */
const PROCESSES = ["--site-per-process", "--enable-features=IsolateSandboxedIframes"];
/** The shell has no mouse by itself: as bridge/chrome/args.go gives it one. */
const MOUSE = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4";
const here = import.meta.dirname;
const scratch = mkdtempSync(join(tmpdir(), "pagesuite"));
const listen = ["--client-addr=127.0.0.1:0", "--host-addr=127.0.0.1:0"];
const ended = [];

/** Lays the suite out in the work folder: its own files, and beside them ours. */
function layOut() {
  mkdirSync(work, { recursive: true });
  const at = (...path) => join(work, ...path);
  if (!existsSync(at("node_modules"))) {
    writeFileSync(at("package.json"), JSON.stringify({ private: true }));
    const wanted = ["@playwright/test@1.63.0", "ws@8", "mime@3", "formidable@2", "debug@4"];
    execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...wanted], {
      cwd: work,
      stdio: "inherit",
    });
  }
  rmSync(at("tests"), { recursive: true, force: true });
  for (const dir of ["android", "assets", "config", "electron", "page", "third_party"])
    cpSync(join(playwright, "tests", dir), at("tests", dir), { recursive: true });
  mkdirSync(at("tests", "webview"));
  cpSync(join(here, "fixture.ts"), at("tests", "webview", "webviewTest.ts"));
  cpSync(join(here, "suite.config.ts"), at("suite.config.ts"));
  rmSync(at("packages"), { recursive: true, force: true });
  mkdirSync(at("packages"));
  symlinkSync(at("node_modules", "playwright-core"), at("packages", "playwright-core"));
}

/** Starts a program, which ends with this one, and returns what it says when that fits. */
function start(name, args, fits) {
  const program = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  ended.push(async () => {
    if (program.exitCode !== null || program.signalCode) return;
    process.kill(-program.pid, name === shell ? "SIGKILL" : "SIGTERM");
    await once(program, "exit");
  });
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (chunk) => {
      const found = fits.exec((said += chunk));
      if (found) resolve(found);
    };
    program.stdout.on("data", hear);
    program.stderr.on("data", hear);
    program.on("exit", () => reject(new Error(`${name} has ended:\n${said}`)));
  });
}

/** Starts a hub with one page, and returns the environment of the suite. */
async function startIframe() {
  const first = createServer((_, res) => res.setHeader("Content-Type", "text/html").end("<title>ready</title>"));
  await once(first.listen(SUITE), "listening"); // until the suite's own server is there
  const app = `http://localhost:${SUITE}/empty.html`;
  const said = await start(
    cdphub,
    ["proxy", app, ...listen, "--app-addr=127.0.0.1:0"],
    /(http:\S+shell\S*)[^]*(http:\S+), for example/,
  );
  const [, page, hub] = said;
  const window = `--window-size=${SIZE.width},${SIZE.height + BAR}`;
  const profile = `--user-data-dir=${join(scratch, "profile")}`;
  // The browser has no way in for a client but the Host page. The port only tells when it runs.
  await start(
    shell,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      ...PROCESSES,
      MOUSE,
      window,
      profile,
      "--remote-debugging-port=0",
      page,
    ],
    /DevTools listening/,
  );
  await until(async () => (await (await fetch(`${hub}/json/list`)).json()).some(({ title }) => title === "ready"));
  first.close();
  first.closeAllConnections();
  return { HUB: hub, APP: new URL(new URL(page).searchParams.get("app")).origin };
}

async function startBrowser() {
  const args = ["--disable-gpu", "--disable-quic", `--window-size=${SIZE.width},${SIZE.height}`].map(
    (a) => `--browser-arg=${a}`,
  );
  const [, address] = await start(
    cdphub,
    ["serve", ...listen, "--browser-path", shell, "--browser-no-sandbox", ...args],
    /"addr":"([^"]*)","clients":true/,
  );
  return { HUB: `http://${address}` };
}

async function until(done) {
  for (let tries = 0; !(await done()); tries++) {
    if (tries === 600) throw new Error("the page is not there after 60 s");
    await new Promise((next) => setTimeout(next, 100));
  }
}

layOut();
let code = 1;
try {
  const hub = await (kind === "browser" ? startBrowser() : startIframe());
  const env = {
    ...process.env,
    ...hub,
    PWPAGE_IMPL: "webkit-webview",
    PWTEST_UNDER_TEST: "1",
    SLOT: String(slot),
    PROJECT: kind,
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(work, `${kind}.json`),
  };
  const args = ["playwright", "test", "--config=suite.config.ts", "--reporter=json,line", ...options];
  const suite = spawn("npx", args, { cwd: work, env, stdio: "inherit" });
  [code] = await once(suite, "exit");
} finally {
  for (const end of ended.reverse()) await end();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
process.exit(code);
