#!/usr/bin/env node
// Runs the program of this platform. It is in a package of its own, which npm
// installs as an optional dependency of this one.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { version, optionalDependencies } = require("../package.json");
const { platform, arch } = process;
const name = `@cdphub/${platform}-${arch}`;

run(findProgram());

function findProgram() {
  try {
    return require.resolve(`${name}/${platform === "win32" ? "cdphub.exe" : "cdphub"}`);
  } catch {
    return fail(name in optionalDependencies ? notInstalled() : notSupported());
  }
}

function notInstalled() {
  if (/-g[0-9a-f]{7,}/.test(version))
    // of a commit: make npm has made both packages, and npm's registry has none
    return `the package ${name} is not installed. It holds the program for this system.
Install both files that make npm has made: npm install --offline cdphub-${version}.tgz cdphub-${platform}-${arch}-${version}.tgz`;
  return `the package ${name} is not installed. It holds the program for this system.
npm leaves it out with --omit=optional (--no-optional), or when node_modules or package-lock.json come from another system.
Install it: npm install --include=optional ${name}@${version}
With npx:   npx --include=optional cdphub@${version}`;
}

function notSupported() {
  const supported = Object.keys(optionalDependencies).map((each) => each.slice("@cdphub/".length));
  return `there is no program for ${platform}-${arch}. Programs are there for ${supported.join(", ")}.
Where Go runs, build it: go install github.com/cdphub/cdphub/cmd/cdphub@latest`;
}

function run(program) {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (e) => fail(`${program} cannot be started: ${e.message}. Install the package ${name} again.`));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => forward(signal, child));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal); // whoever waits for this process sees what ended the program
  });
}

// A terminal sends Ctrl-C to the program itself, and the program ends without
// draining when it gets a second signal. On Windows kill() would end it at once.
function forward(signal, child) {
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  if (platform === "win32" || (signal === "SIGINT" && terminal)) return;
  child.kill(signal);
}

function fail(reason) {
  console.error(`cdphub: ${reason}`);
  process.exit(1);
}
