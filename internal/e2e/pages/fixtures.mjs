// The hubs that the Go side has started, and what every page must be.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test as base, expect } from "@playwright/test";

export { expect };

const { OPEN_CLIENTS, OPEN_HOSTS, CLOSED_CLIENTS, CLOSED_HOSTS, CLIENT_TOKEN, HOST_TOKEN, APP, PLAIN } = process.env;

/** A hub without tokens, and one with them. */
export const open = { clients: OPEN_CLIENTS, hosts: OPEN_HOSTS };
export const closed = {
  clients: CLOSED_CLIENTS,
  hosts: CLOSED_HOSTS,
  clientToken: CLIENT_TOKEN,
  hostToken: HOST_TOKEN,
};

/** An app with the agent, and one without it. */
export const app = APP;
export const plain = PLAIN;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No test leaves an error on the console, but for what its own requests are refused with. */
export const test = base.extend({
  page: async ({ page }, use) => {
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (m) => {
      if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) errors.push(m.text());
    });
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

/** The titles of the targets that clients of the open hub see. */
export async function targets() {
  const answer = await fetch(`${open.clients}/json/list`);
  return (await answer.json()).map((t) => `${t.title} ${t.id}`);
}

export const shell = (hub, address, more = "") => `${hub.hosts}/shell?app=${address}${more}`;
