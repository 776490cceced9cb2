// Serves a copy of one of the apps as developers run it: node dev.mjs react FOLDER.
// It prints the address; who edits the copy sees the change in the page.

import { cpSync, symlinkSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { createServer } from "vite";

const [name, root] = process.argv.slice(2);
for (const part of ["index.html", "shared.js", name]) cpSync(part, join(root, part), { recursive: true });
symlinkSync(join(process.cwd(), "node_modules"), join(root, "node_modules"));

const server = createHttpServer(); // Vite's own takes no free port
const vite = await createServer({
  configFile: "vite.config.mjs",
  root,
  mode: name,
  cacheDir: join(root, "cache"),
  logLevel: "warn",
  server: { middlewareMode: true, hmr: { server }, fs: { strict: false } }, // the modules are outside of the root
});
server.on("request", vite.middlewares);
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
