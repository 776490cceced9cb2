import { chromium } from "@playwright/test";
import { app, closed, expect, inspect, mayRefuse, open, plain, shell, targets, test } from "./fixtures.mjs";

const replaced = "Another page has this hub";

test("two tabs: the older one says so, and comes back when the newer one is closed", async ({ page, context }) => {
  await page.goto(shell(open, app));
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  await expect.poll(targets).toHaveLength(1);
  const [first] = await targets();
  const newer = await context.newPage();
  await newer.goto(shell(open, app));
  await expect(newer.getByText("Connected to the hub")).toBeVisible();
  await expect(page.getByRole("alert")).toContainText(replaced);
  await inspect(page);
  expect(await targets()).not.toContain(first);
  await newer.close();
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  await expect(page.getByText(replaced)).toBeHidden();
  await expect.poll(targets).toEqual([first]);
});

test("two tabs: the button takes the hub, and a reload of the other does not lose it", async ({ page, context }) => {
  await page.goto(shell(open, app));
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  await expect.poll(targets).toHaveLength(1);
  const [first] = await targets();
  const newer = await context.newPage();
  await newer.goto(shell(open, app));
  await page.getByRole("button", { name: "Use this tab" }).click();
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  await expect(newer.getByRole("alert")).toContainText(replaced);
  await expect.poll(targets).toEqual([first]);
  await newer.reload(); // it was not opened on standby, so it takes the hub: its user has just asked for it
  await expect(page.getByRole("alert")).toContainText(replaced);
});

test("on standby a page takes a free hub, and waits for another", async ({ page, context }) => {
  await page.goto(shell(open, app, "&standby"));
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  const second = await context.newPage();
  await second.goto(shell(open, app, "&standby"));
  await expect(second.getByRole("alert")).toContainText(replaced);
  await expect(page.getByText("Connected to the hub")).toBeVisible();
});

test("the bar: app, frame, hub, clients", async ({ page }) => {
  await page.goto(shell(open, app));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${app}/`);
  await expect(page).toHaveTitle("Field book - cdphub");
  await expect(page.getByText("no clients connected")).toBeVisible();
  await inspect(page);
  const client = await chromium.connectOverCDP(open.clients);
  await expect(page.getByText("1 client connected")).toBeVisible();
  await client.close();
  await expect(page.getByText("no clients connected")).toBeVisible();
});

test("a person has clicked in a page that asks before it is left: clients answer, and none hangs", async ({ page }) => {
  await page.goto(shell(open, app));
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  const client = await chromium.connectOverCDP(open.clients);
  const [driven] = client.contexts()[0].pages();
  await page.frameLocator("iframe").getByText("Field book").click();
  await driven.evaluate(() => {
    window.onbeforeunload = () => "unsaved";
    document.title = "unsaved";
  });
  const asked = [];
  driven.once("dialog", (d) => (asked.push(d.type()), d.dismiss()));
  await expect(driven.goto(`${app}/next`)).rejects.toThrow("net::ERR_ABORTED");
  expect(await driven.title()).toBe("unsaved");
  await (await chromium.connectOverCDP(open.clients)).close();
  driven.once("dialog", (d) => (asked.push(d.type()), d.accept()));
  await driven.reload();
  expect(await driven.title()).toBe("Field book");
  expect(asked).toEqual(["beforeunload", "beforeunload"]);
  await client.close();
});

test("a page without the agent: says why no client can drive it", async ({ page }) => {
  await page.goto(shell(open, plain));
  await expect(page.getByText("Frame not paired")).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("No Frame Agent");
  await inspect(page);
});

test("without an app: asks for one", async ({ page }) => {
  await page.goto(`${open.hosts}/shell`);
  await inspect(page);
  await page.getByLabel("Address of the app").fill(app);
  await page.getByRole("button", { name: "Open" }).click();
  await expect(page.getByText("Frame paired")).toBeVisible();
});

test("with tokens: asks for the one of a Host, and keeps it for a reload", async ({ page }) => {
  mayRefuse(page.context(), /^401 GET \/icdp\/host$/, "a Host without the right token asks why, each time that it tries");
  await page.goto(shell(closed, app));
  await expect(page.getByRole("alert")).toContainText("needs a token");
  await inspect(page);
  await page.getByLabel("Host token").fill("token-of-nobody-");
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page.getByRole("alert")).toContainText("refuses this page");
  await page.getByLabel("Host token").fill(closed.hostToken);
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page.getByText("Connected to the hub")).toBeVisible();
  expect(page.url()).not.toContain(closed.hostToken);
  await page.reload();
  await expect(page.getByText("Connected to the hub")).toBeVisible();
});

test("the proxied app in a tab of its own: the console names the Host page", async ({ page, context }) => {
  await page.goto(process.env.HOST_PAGE);
  await expect(page.getByText("Frame paired")).toBeVisible();
  const direct = await context.newPage();
  const said = [];
  direct.on("console", (m) => said.push(m.text()));
  await direct.goto(new URL(process.env.HOST_PAGE).searchParams.get("app"));
  expect(said).toEqual([expect.stringContaining(`open ${process.env.HOST_PAGE}`)]);
  expect(await direct.content()).not.toContain("cdphub");
});
