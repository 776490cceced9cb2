// Makes the npm packages: cdphub, and a package with the program for each platform. It needs Go, Node and
// npm, and no network.
//   node npm/build.mjs --version v1.2.3 --out npm/dist

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { goNotices } from "./notices.mjs";

/** Node's name of each platform, and Go's. */
const PLATFORMS = {
  "linux-x64": ["linux", "amd64"],
  "linux-arm64": ["linux", "arm64"],
  "darwin-x64": ["darwin", "amd64"],
  "darwin-arm64": ["darwin", "arm64"],
  "win32-x64": ["windows", "amd64"],
  "win32-arm64": ["windows", "arm64"],
};

const { values: options } = parseArgs({
  options: {
    version: { type: "string", default: "" }, // as git describe prints it
    out: { type: "string", default: "npm/dist" },
    ldflags: { type: "string", default: "-s -w" },
    binaries: { type: "string", default: "" }, // with a folder for each platform, *linux_amd64*, as goreleaser makes them
    platforms: { type: "string", default: Object.keys(PLATFORMS).join() },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const version = npmVersion(options.version);
const out = resolve(options.out);
const stage = mkdtempSync(join(tmpdir(), "cdphub-npm-"));
try {
  const packages = [stageLauncher(), ...options.platforms.split(",").map(stagePlatform)];
  mkdirSync(out, { recursive: true });
  for (const old of readdirSync(out).filter((name) => name.endsWith(".tgz"))) rmSync(join(out, old));
  console.log("Packing …");
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out, ...packages], { stdio: "inherit" });
} finally {
  rmSync(stage, { recursive: true });
}

/** A version that npm takes, from v1.2.3, v1.2.3-4-g0a1b2c3 or, without a tag, 0a1b2c3. */
function npmVersion(described) {
  const v = described.replace(/^v/, "");
  if (/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(v)) return v;
  if (/^[0-9a-f]{7,40}(-dirty)?$/.test(v)) return `0.0.0-g${v}`;
  throw new Error(
    `--version ${described} is neither a version such as v1.2.3 nor a commit: give what git describe --tags --always prints`,
  );
}

/** The folder of the package cdphub: launcher, agent and Host. */
function stageLauncher() {
  const dir = join(stage, "cdphub");
  cpSync(join(root, "npm", "cdphub"), dir, { recursive: true });
  for (const name of ["agent", "host"]) {
    cpSync(join(root, "web", "dist", `${name}.mjs`), join(dir, `${name}.js`));
    cpSync(join(root, "web", "dist", `${name}.d.ts`), join(dir, `${name}.d.ts`));
  }
  const optionalDependencies = Object.fromEntries(Object.keys(PLATFORMS).map((p) => [`@cdphub/${p}`, version]));
  finish(dir, { ...JSON.parse(readFileSync(join(dir, "package.json"), "utf8")), version, optionalDependencies });
  return dir;
}

/** The folder of a package with the program for a platform. */
function stagePlatform(platform) {
  const [goos, goarch] = PLATFORMS[platform] ?? fail(`--platforms: ${platform} is none of ${Object.keys(PLATFORMS)}`);
  const [os, cpu] = platform.split("-");
  const dir = join(stage, platform);
  mkdirSync(dir);
  const file = goos === "windows" ? "cdphub.exe" : "cdphub";
  if (options.binaries) cpSync(find(`${goos}_${goarch}`, file), join(dir, file));
  else build(goos, goarch, join(dir, file));
  writeFileSync(
    join(dir, "README.md"),
    `# @cdphub/${platform}\n\nThe program of the package \`cdphub\` for ${os} on ${cpu}. Install \`cdphub\` instead.\n`,
  );
  const { license, repository } = JSON.parse(readFileSync(join(root, "npm", "cdphub", "package.json"), "utf8"));
  const manifest = {
    name: `@cdphub/${platform}`,
    version,
    description: `The program of cdphub for ${os} on ${cpu}`,
    license,
    repository,
    os: [os],
    cpu: [cpu],
    preferUnplugged: true, // Yarn would keep the program in a zip file, where it cannot run
  };
  finish(dir, manifest, goNotices(root, goos, goarch));
  return dir;
}

/** Writes what every package has. */
function finish(dir, manifest, more = "") {
  writeFileSync(join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(dir, "LICENSE"));
  const notices = ["NOTICE", "web/dist/NOTICE.txt"].map((name) => readFileSync(join(root, name), "utf8"));
  writeFileSync(join(dir, "NOTICE.txt"), [...notices, more].filter(Boolean).join("\n"));
}

function build(goos, goarch, file) {
  console.log(`Building cdphub for ${goos}/${goarch} …`);
  const args = ["build", "-trimpath", "-ldflags", options.ldflags, "-o", file, "./cmd/cdphub"];
  const env = { ...process.env, GOOS: goos, GOARCH: goarch, CGO_ENABLED: "0" };
  execFileSync("go", args, { cwd: root, env, stdio: "inherit" });
}

/** A program in the folder of --binaries. */
function find(platform, file) {
  const dirs = readdirSync(options.binaries).filter((name) => `_${name}_`.includes(`_${platform}_`));
  const found = dirs.map((name) => join(options.binaries, name, file)).filter((path) => existsSync(path));
  return found.length === 1
    ? found[0]
    : fail(`${options.binaries} has ${found.length} programs *${platform}*/${file}, and one is needed`);
}

function fail(reason) {
  throw new Error(reason);
}
