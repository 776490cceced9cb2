// The hubs that the Go side has started, and what every page must be.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { test as base, expect } from "@playwright/test";

export { expect };

const {
  OPEN_CLIENTS,
  OPEN_HOSTS,
  DASH_CLIENTS,
  DASH_HOSTS,
  CLOSED_CLIENTS,
  CLOSED_HOSTS,
  CLIENT_TOKEN,
  HOST_TOKEN,
  APP,
  PLAIN,
  CDPHUB,
} = process.env;

/** A hub without tokens, and one with them. */
export const open = { clients: OPEN_CLIENTS, hosts: OPEN_HOSTS };
export const closed = {
  clients: CLOSED_CLIENTS,
  hosts: CLOSED_HOSTS,
  clientToken: CLIENT_TOKEN,
  hostToken: HOST_TOKEN,
};

/** A hub with a dashboard; /hub/two and /hub/three have browsers. The others have the simple home page. */
export const dash = { clients: DASH_CLIENTS, hosts: DASH_HOSTS };

/** An app with the agent, and one without it. */
export const app = APP;
export const plain = PLAIN;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What Chromium and Firefox say of a request or a WebSocket that was refused, or closed early. */
const refused = /^(Failed to load resource|WebSocket connection to|Firefox can.t establish|The connection to ws)/;

/** What requests of a test's pages may be refused, by context: see mayRefuse. */
const refusals = new WeakMap();

/** Has the hub refuse requests of pages in a context, "401 GET /ui/api/state", for a reason that the test gives. */
export const mayRefuse = (context, pattern, _reason) => refusals.get(context)?.push(pattern);

/** Watches the pages of a context for own requests that fail: a page for people asks for nothing that it may not have. */
export function watchRequests(context) {
  const failed = [];
  refusals.set(context, [/404 .*\/ui\/api\/view(\/why)?$/]); // of a page that has just been closed
  context.on("response", (r) => {
    const { host, pathname } = new URL(r.url());
    if (r.status() >= 400 && r.request().frame().url().includes(host))
      failed.push(`${r.status()} ${r.request().method()} ${pathname}`);
  });
  context.on("page", (page) =>
    page.on("websocket", (ws) =>
      ws.on("socketerror", (e) => /response code/.test(e) && failed.push(`${e} ${new URL(ws.url()).pathname}`)),
    ),
  );
  return () => failed.filter((f) => !refusals.get(context).some((pattern) => pattern.test(f)));
}

/** No test leaves an error on the console, nor has an own request of a page that fails. */
export const test = base.extend({
  context: async ({ context }, use) => {
    const failed = watchRequests(context);
    await use(context);
    expect(failed()).toEqual([]);
  },
  page: async ({ page }, use) => {
    const errors = [];
    const note = (text) => refused.test(text) || errors.push(text);
    page.on("pageerror", (error) => note(error.message));
    page.on("console", (m) => m.type() === "error" && note(m.text()));
    await use(page);
    expect(errors).toEqual([]);
  },
});

/** Fails for what axe finds, in the light and in the dark, and for a page that scrolls sideways at 320 px. */
export async function inspect(page) {
  const size = page.viewportSize();
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run({ exclude: [["iframe"]] }, { iframes: false }));
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join("; ")}`)).toEqual(
      [],
    );
  }
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.setViewportSize(size);
}

/** Gives a page of the closed hub a wrong token and then the right one, which stays in the tab and in no cookie. */
export async function logIn(page) {
  await expect(page.getByText("Default hub")).toBeHidden();
  await inspect(page);
  mayRefuse(page.context(), /^401 GET \/(ui\/api\/events|home.json)$/, "the token is wrong");
  await page.getByLabel("Token").fill("token-of-nobody-");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByRole("alert")).toContainText("not valid");
  await page.getByLabel("Token").fill(closed.clientToken);
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByText("Default hub")).toBeVisible();
  await expect(page.getByLabel("Token")).toBeHidden();
  await page.reload();
  await expect(page.getByText("Default hub")).toBeVisible();
  expect(await page.context().cookies()).toEqual([]);
}

/** The titles of the targets that clients of the open hub see. */
export async function targets() {
  const answer = await fetch(`${open.clients}/json/list`);
  return (await answer.json()).map((t) => `${t.title} ${t.id}`);
}

export const shell = (hub, address, more = "") => `${hub.hosts}/shell?app=${address}${more}`;

/** Runs a hub of its own. */
export async function startHub(addr, ...args) {
  const hub = spawn(CDPHUB, ["serve", "--client-addr", addr, "--host-addr", "localhost:0", ...args]);
  hub.stdout.resume();
  for await (const line of createInterface({ input: hub.stderr })) {
    if (!line.startsWith("{")) continue;
    const said = JSON.parse(line);
    if (said.msg !== "listening" || !said.clients) continue;
    hub.stderr.resume();
    const ended = new Promise((resolve) => hub.once("exit", resolve));
    return { addr: said.addr, end: () => (hub.kill("SIGTERM"), ended) };
  }
}
