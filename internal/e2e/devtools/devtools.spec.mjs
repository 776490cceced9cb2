// What a person does in the DevTools that the hub serves, on both kinds of target.

import { appendFileSync } from "node:fs";
import { expect, test } from "@playwright/test";

const E = process.env;

/** The commands that are answered by an error; docs/devtools.md says why. */
const REFUSED = {
  page: ["CSS.getComputedStyleForNode"],
  frame: [
    "Animation.enable",
    "CSS.getComputedStyleForNode",
    "DOM.markUndoableState",
    "Debugger.setAsyncCallStackDepth",
    "Preload.enable",
    "Profiler.enable",
    "Runtime.globalLexicalScopeNames", // for suggestions
    "Storage.setStorageBucketTracking",
  ],
};

/** Adds a line for docs/clients.md, see internal/e2e/clients/results.go. */
function record(feature, what) {
  if (!E.E2E_RESULTS) return;
  const line = { client: "DevTools", feature, test: what, target: "hub", result: "works", reason: "" };
  appendFileSync(E.E2E_RESULTS, `${JSON.stringify(line)}\n`);
}

/** Shows an app in a target of the hub, and returns the page around it and the address of its DevTools. */
async function show(context, clients, hosts, app, token, hostToken) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const around = hosts && (await context.newPage());
  if (around) await around.goto(`${hosts}/shell?app=${app}${hostToken ? `#token=${hostToken}` : ""}`);
  else await fetch(`${clients}/json/new?${app}`, { method: "PUT" });
  let url = "";
  await expect
    .poll(async () => {
      const list = await (await fetch(`${clients}/json/list`, { headers })).json();
      url = list.find((t) => t.url === app && t.title === "Field book")?.devtoolsFrontendUrl ?? "";
      return url;
    })
    .toContain("/devtools/ui/inspector.html?ws=");
  return { around, url };
}

/** Opens DevTools, and collects the methods that are answered by an error. */
async function open(context, url) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1600, height: 1000 });
  const sent = new Map();
  const refused = new Set();
  const styled = []; // what edits of styles were answered
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => {
      const m = JSON.parse(payload);
      sent.set(m.id, m.method);
    });
    socket.on("framereceived", ({ payload }) => {
      const m = JSON.parse(payload);
      if (m.error) refused.add(sent.get(m.id));
      if (sent.get(m.id) === "CSS.setStyleTexts") styled.push(JSON.stringify(m.result));
    });
  });
  await page.goto(url);
  const node = page.locator(".elements-disclosure li", { hasText: "A note" }).last();
  await expect(node).toBeVisible();
  return { page, node, refused, sent, styled };
}

const panel = (page, name) => page.locator(`[role="tab"][aria-label="${name}"]`).first().click();

async function inConsole(page, text, result) {
  await panel(page, "Console");
  const prompt = page.locator("#console-prompt .cm-content");
  await prompt.click();
  await prompt.pressSequentially(text);
  await expect(prompt).toHaveText(text);
  await page.keyboard.press("Control+Enter"); // a suggestion would take Enter
  await expect(page.locator(".console-user-command-result").last()).toContainText(result);
}

test("DevTools open without a picture, read inline source maps, and come back after a reload", async ({ context }) => {
  const { url } = await show(context, E.PAGE_CLIENTS, "", E.PAGE_APP);
  const page = await context.newPage();
  const violations = [];
  page.on("console", (m) => m.text().includes("Content Security Policy") && violations.push(m.text()));
  const node = page.locator(".elements-disclosure li", { hasText: "A note" }).last();
  await page.goto(url);
  await expect(node).toBeVisible();
  await expect(page.locator(".screencast")).toBeHidden();
  expect(
    await page.evaluate(async () => (await fetch("data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==")).json()),
  ).toEqual({ version: 3 });
  for (let n = 0; n < 2; n++) {
    await page.reload();
    await expect(node).toBeVisible();
    await expect(page.getByText("DevTools is disconnected")).toBeHidden();
  }
  expect(violations).toEqual([]);
});

for (const kind of ["page", "frame"]) {
  test(`${kind}: Elements, Styles, Console, Network and Application work`, async ({ context }) => {
    const K = kind.toUpperCase();
    const { around, url } = await show(context, E[`${K}_CLIENTS`], E[`${K}_HOSTS`], E[`${K}_APP`]);
    const { page, node, refused, sent, styled } = await open(context, url);
    const works = (feature, what) => kind === "frame" && record(feature, what);
    works("list pages", "the list names the address of DevTools");
    works("connect", "DevTools open at that address");

    await node.click();
    const section = page.locator('.styles-section[aria-label=".note, css selector"]');
    await expect(section).toContainText("book.css:3");
    await expect(page.locator(".styles-section", { hasText: "element.style" })).toContainText("green");
    works("DOM nodes", "Elements and Styles show a node, its rules and their sheets");

    await page.locator(".elements-disclosure li", { hasText: "h1" }).last().hover();
    await expect.poll(() => [...sent.values()]).toContain("Overlay.highlightNode");
    if (around) await expect(around.frameLocator("iframe").locator("cdphub-devtools")).toBeAttached();

    // The pane is drawn again when an answer comes late, and an edit that has begun is lost: a person begins it again.
    const edited = section.getByLabel("CSS property value: 7px").first();
    await expect(async () => {
      if (await edited.isVisible()) return;
      await section.locator(".value").first().click({ timeout: 2_000 });
      await expect(section.locator(".text-prompt")).toBeVisible({ timeout: 2_000 });
      await page.keyboard.insertText("7px");
      await page.keyboard.press("Enter");
      await expect(edited).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 30_000 });
    const edits = () => [...sent.values()].filter((method) => method === "CSS.setStyleTexts").length;
    const behind = () => edits() - styled.length; // each key is an edit, and a slow page is behind
    await expect.poll(() => [behind(), styled.at(-1)?.includes("7px")]).toEqual([0, true]);
    await page.keyboard.press("Escape"); // Enter has gone on to the next property
    await expect.poll(() => [behind(), styled.at(-1)?.includes("7px")], styled.join("\n")).toEqual([0, true]);
    works("DOM nodes", "Styles edit a rule");
    await inConsole(page, "getComputedStyle($0).marginTop", "7px");
    works("handles", "$0 is the selected node");
    await inConsole(page, "document.title", "Field book");
    works("evaluate", "Console evaluates an expression");
    await inConsole(page, "(await look()).birds[1]", "heron");
    works("evaluate promises", "Console awaits a promise");
    await inConsole(page, 'throw new Error("no bird")', "Uncaught Error: no bird");
    works("evaluate errors", "Console shows what an expression throws");
    await inConsole(page, 'console.warn("a crane")', "undefined");
    await expect(page.locator(".console-warning-level")).toContainText("a crane");
    works("console", "Console shows what the page writes");
    await inConsole(page, 'void setTimeout(() => { throw new Error("late") })', "undefined");
    await expect(page.locator(".console-error-level", { hasText: "Uncaught Error: late" })).toBeVisible();
    works("page error", "Console shows what no script has caught");

    await panel(page, "Network");
    await page.getByText("birds.json").first().click();
    works("request and response events", "Network lists a request");
    await page.locator('[role="tab"][aria-label="Response"]').click();
    await expect(page.locator(".network-item-view")).toContainText("heron");
    works("response bodies", "Network shows a body");

    await panel(page, "Application");
    for (const [name, feature, text] of [
      ["Local storage", "storage", "of fields"],
      ["Cookies", "cookies", "of geese"],
    ]) {
      await page.locator('[role="treeitem"]', { hasText: name }).first().click();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();
      works(feature, `Application lists ${name.toLowerCase()}`);
    }

    await panel(page, "Sources");
    await expect(page.getByText("book.js").filter({ visible: true }).first()).toBeVisible();
    expect([...refused].filter((m) => !REFUSED[kind].includes(m))).toEqual([]);
  });
}

test("readonly: shows the page and evaluates nothing", async ({ context }) => {
  const { url } = await show(context, E.READ_CLIENTS, E.READ_HOSTS, E.READ_APP, E.READ_TOKEN, E.HOST_TOKEN);
  expect(url).not.toContain(E.READ_TOKEN);
  const { page, node, refused } = await open(context, url);
  await node.click();
  await expect(page.locator('.styles-section[aria-label=".note, css selector"]')).toContainText("book.css:3");
  for (const name of ["Network", "Application", "Console"]) {
    await panel(page, name);
    await expect(page.locator(`[role="tab"][aria-label="${name}"]`).first()).toHaveAttribute("aria-selected", "true");
  }
  expect([...refused]).toContain("Runtime.callFunctionOn");
});

test("an address works once", async ({ context }) => {
  const { url } = await show(context, E.PAGE_CLIENTS, "", E.PAGE_APP);
  await open(context, url);
  const again = await context.newPage();
  await again.goto(url);
  await expect(again.getByText("disconnected").first()).toBeVisible();
});
