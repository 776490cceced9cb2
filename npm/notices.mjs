// The licences of the Go modules in a program, and of Go itself.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Names, versions and licence texts of all that cmd/cdphub of the repository holds on a platform. */
export function goNotices(root, goos, goarch) {
  const env = { ...process.env, GOOS: goos, GOARCH: goarch, CGO_ENABLED: "0" };
  const go = (...args) => execFileSync("go", args, { cwd: root, env, encoding: "utf8" }).trim();
  const template = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}";
  const modules = new Set(go("list", "-deps", "-f", template, "./cmd/cdphub").split("\n").filter(Boolean).sort());
  const texts = [...modules].map((line) => notice(...line.split("\t")));
  return ["Third-party software inside the program.\n", notice("Go", go("env", "GOROOT")), ...texts].join("\n");
}

function notice(name, dir) {
  const files = readdirSync(dir).filter((file) => /^(LICEN[SC]E|COPYING|NOTICE)/i.test(file));
  if (files.length === 0) throw new Error(`${name} in ${dir} has no licence file: it may not be distributed`);
  const texts = files.sort().map((file) => readFileSync(join(dir, file), "utf8").trim());
  return `${"-".repeat(72)}\n${name}\n\n${texts.join("\n\n")}\n`;
}
