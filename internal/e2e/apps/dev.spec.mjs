// An app that a Vite development server serves, and whose files are edited.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./fixtures.mjs";

const { NAME, SOURCES } = process.env;
const view = join(NAME, { react: "App.jsx", vue: "SignUp.vue", svelte: "SignUp.svelte" }[NAME]);

function edit(file, from, to) {
  const path = join(SOURCES, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

test("an edited component is replaced in the document", async ({ page }) => {
  await expect(page.getByRole("heading")).toHaveText("Sign up");
  await page.evaluate(() => { window.kept = true; });
  edit(view, "<h1>Sign up</h1>", "<h1>Join us</h1>");
  await expect(page.getByRole("heading")).toHaveText("Join us");
  expect(await page.evaluate(() => window.kept)).toBe(true);
  await page.getByLabel("Username").pressSequentially("Ada!");
  await expect(page.getByLabel("Username")).toHaveValue("ada");
});

test("an edited document is loaded again", async ({ page }) => {
  await page.evaluate(() => { window.kept = true; });
  const loaded = page.waitForEvent("load");
  edit("index.html", "<title>%MODE%</title>", "<title>edited</title>");
  await loaded;
  await expect(page).toHaveTitle("edited");
  expect(await page.evaluate(() => window.kept)).toBeUndefined();
  await page.getByRole("link", { name: "Tasks" }).click();
  await expect(page.getByRole("heading")).toHaveText("Tasks");
});

test("its messages come over a WebSocket of the page's own address", async ({ page }) => {
  const told = page.waitForEvent("websocket").then(async (socket) => [socket, await socket.waitForEvent("framereceived")]);
  await page.reload();
  const [socket, message] = await told;
  expect(new URL(socket.url()).host).toBe(new URL(page.url()).host);
  expect(JSON.parse(message.payload)).toEqual({ type: "connected" });
});
