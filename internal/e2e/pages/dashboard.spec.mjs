import { chromium } from "@playwright/test";
import { app, closed, dash, expect, inspect, logIn, mayRefuse, shell, startHub, test } from "./fixtures.mjs";

const { CLOSED_DASH, IDLE_DASH } = process.env;

/** A page of one colour, which a picture of it has too, with a field that shows what is typed. */
const field = (title, colour) =>
  `data:text/html,<!doctype html><title>${title}</title><body style="background:${colour}">` +
  `<input aria-label=Name autofocus style="position:fixed;inset:0;width:50vw"><script>
     addEventListener("click", () => document.body.append("clicked")) </script>`;

/** Connects a client to a hub of the dashboard, for the time of a test. */
async function drive(hub) {
  const client = await chromium.connectOverCDP(dash.clients + hub);
  const [context] = client.contexts();
  const pages = [];
  return {
    open: async (url) => {
      const page = await context.newPage();
      pages.push(page);
      await page.goto(url);
      return page;
    },
    pages: () => context.pages(),
    end: async () => {
      for (const page of pages) await page.close();
      await client.close();
    },
  };
}

/** As the browser's Back button does. Playwright's own goBack waits for a load, which Firefox does not tell of a step within a document. */
const goBack = (page) => page.evaluate(() => history.back());

const tile = (page, name) => page.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });

/** The colour in the middle of a canvas, "r,g,b". */
const colour = (canvas) =>
  canvas.evaluate((c) =>
    [...c.getContext("2d").getImageData(c.width * 0.75, c.height * 0.75, 1, 1).data].slice(0, 3).join(),
  );

/** Within what JPEG does to a colour. */
const near = (want) => (got) => {
  const [a, b] = [got, want].map((text) => text.split(",").map(Number));
  return a.every((n, i) => Math.abs(n - b[i]) < 12);
};

test("dashboard: says how to connect while nothing runs", async ({ page }) => {
  await page.goto(`${IDLE_DASH}/hub/empty/`);
  await expect(page.getByText("connectOverCDP")).toContainText(`${IDLE_DASH}/hub/empty`);
  await page.getByRole("link", { name: "Connect", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Connect", exact: true })).toBeVisible();
  await expect(page.getByLabel("Address of the app")).toBeVisible();
  await inspect(page);
  await goBack(page);
  await expect(page.getByRole("heading", { name: "Targets" })).toBeVisible();
});

test("dashboard: lists named sessions, and ends them", async ({ page }) => {
  const client = await chromium.connectOverCDP(`${dash.clients}/hub/two?session=work&fresh=true&name=agent`);
  const ended = new Promise((resolve) => client.on("disconnected", resolve));
  await page.goto(`${dash.clients}/hub/two/`);
  await page.getByText("1 named session", { exact: true }).click();
  await expect(page.getByText(/^agent #\d+ is connected$/)).toBeVisible();
  await inspect(page);
  await page.getByRole("button", { name: "End work" }).click();
  await expect(page.getByText("1 named session", { exact: true })).toHaveCount(0);
  await ended;
});

test("dashboard: drains a node of a cluster when it is asked twice", async ({ page }) => {
  const now = Date.now();
  const node = { version: "1", since: now - 60_000, hubs: 3 };
  const nodes = [
    { ...node, id: "id-a", name: "a", answers: true, browsers: 2, maxBrowsers: 8 },
    { ...node, id: "id-b", name: "b" },
    { ...node, id: "id-c", name: "c", draining: true },
  ];
  await page.addInitScript((nodes) => {
    const real = window.fetch;
    window.asked = []; // kept here, since Playwright does not tell a request's body in Firefox
    window.fetch = async (address, options) => {
      if (String(address).endsWith("/ui/api/drain")) window.asked.push(JSON.parse(options.body));
      if (!String(address).endsWith("/ui/api/events")) return real(address, options);
      const state = await (await real(String(address).replace("events", "state"))).json();
      const text = `event: state\ndata: ${JSON.stringify({ ...state, nodes, you: { ...state.you, drain: true } })}\n\n`;
      return new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(text)) }));
    };
  }, nodes);
  const asked = () => page.evaluate(() => window.asked);
  let requests = 0;
  await page.route("**/hub/empty/ui/api/drain", (route) =>
    route.fulfill(requests++ ? { status: 204 } : { status: 409, body: "this is the last node that is not drained" }),
  );
  mayRefuse(page.context(), /^409 POST .*drain$/, "it is the last node");
  await page.goto(`${dash.clients}/hub/empty/`);
  await expect(page.getByRole("row", { name: /^a 3 2 of 8 .*serves, shows this/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Drain c…" })).toHaveCount(0);
  const begin = page.getByRole("button", { name: "Drain b…" });
  await begin.click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await asked()).toEqual([]);
  await begin.click();
  await inspect(page);
  await page.getByRole("button", { name: "Drain b", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "the last node" })).toBeVisible();
  await begin.click();
  await page.getByRole("button", { name: "Drain b", exact: true }).click();
  await expect(begin).toBeDisabled();
  expect(await asked()).toEqual([{ node: "id-b" }, { node: "id-b" }]);
  await expect.poll(() => requests).toBe(2); // Playwright calls the route after fetch was called
});

test("dashboard: 20 pages in three hubs are 20 tiles", async ({ page, context }) => {
  const host = await context.newPage();
  await host.goto(shell(dash, app));
  await expect(host.getByText("Frame paired")).toBeVisible();
  const hubs = { "": await drive(""), "/hub/two": await drive("/hub/two"), "/hub/three": await drive("/hub/three") };
  await page.goto(dash.clients);
  const opened = [];
  for (const [hub, { open, pages }] of Object.entries(hubs))
    for (const most = hub ? 8 : 4; pages().length < most; )
      opened.push(await open(hub ? field(`Page ${opened.length} of ${hub}`, "white") : `${app}/?${opened.length}`));
  const tiles = page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 4 }) });
  await expect(tiles).toHaveCount(20);
  await inspect(page);

  const changed = opened[opened.length - 1];
  await changed.evaluate(() => (document.title = "Another title"));
  await expect(tile(page, "Another title")).toBeVisible();
  await changed.goto("data:text/html,<title>Elsewhere</title>");
  await expect(tile(page, "Elsewhere")).toContainText("data:text/html,<title>Elsewhere");
  await page.getByRole("searchbox").fill("elsewhere");
  await expect(tiles).toHaveCount(1);
  await page.getByRole("searchbox").fill("");
  await changed.close();
  await expect(tiles).toHaveCount(19);
  for (const hub of Object.values(hubs)) await hub.end();
  await host.close();
});

test("dashboard: a tile is a picture of its page, and names who drives it", async ({ page }) => {
  const hub = await drive("/hub/two");
  await hub.open(field("Red page", "rgb(200,20,60)"));
  await page.goto(`${dash.clients}/hub/two/`);
  const red = tile(page, "Red page");
  await expect.poll(async () => near("200,20,60")(await colour(red.locator("canvas")))).toBe(true);
  await expect(red).toContainText("opened an address");
  await hub.end();
});

test("dashboard: by the keyboard alone to a page, into it, and back", async ({ page, context, browserName }) => {
  const hub = await drive("/hub/two");
  const target = await hub.open(field("Name please", "rgb(20,140,60)"));
  await page.goto(`${dash.clients}/hub/two/`);
  const link = page.getByRole("link", { name: "Name please", exact: true });
  await link.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Name please" })).toBeFocused();
  const picture = page.getByRole("img", { name: "Live picture of Name please" });
  await expect.poll(async () => near("20,140,60")(await colour(picture))).toBe(true);
  await inspect(page);

  // Another person looks on.
  const other = await context.newPage();
  await other.goto(page.url());
  await page.bringToFront();
  await page.getByRole("button", { name: "Take over" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("You have the page. Escape twice hands it back.")).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "You have the page. Press Escape twice" })).toBeAttached();
  await inspect(page);
  await page.keyboard.type("Ada L");
  await page.keyboard.press("Backspace");
  await page.keyboard.insertText("日本");
  await expect(target.getByLabel("Name")).toHaveValue("Ada 日本");
  const box = await picture.boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.75);
  await expect(target.getByText("clicked")).toBeAttached();
  await expect(other.getByText("has the page").first()).toBeVisible();
  await expect(other.getByRole("button", { name: "Take over" })).toBeDisabled();

  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Take over" })).toBeFocused();
  await expect(other.getByRole("button", { name: "Take over" })).toBeEnabled();
  await goBack(page);
  await expect(link).toBeFocused();
  await hub.end();
  await expect(other.getByText("This target has ended.")).toBeVisible();
  await expect(other.getByRole("button", { name: "Take over" })).toBeHidden();
  await other.getByRole("slider", { name: "Time" }).press("Home");
  await expect(other.getByText("This is the past")).toBeVisible();
  await inspect(other);
});

test("dashboard: hands a tab over to a client with tabs of its own, and takes it away", async ({ page }) => {
  const hub = await drive("/hub/two");
  await hub.open(field("To be given", "white"));
  const own = await chromium.connectOverCDP(`${dash.clients}/hub/two?tabs=own&name=agent`);
  const [context] = own.contexts();
  expect(context.pages()).toHaveLength(0);
  await page.goto(`${dash.clients}/hub/two/`);
  await page.getByRole("link", { name: "To be given", exact: true }).click();
  const [given] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("button", { name: /^Give the tab to agent #\d+$/ }).click(),
  ]);
  expect(await given.title()).toBe("To be given");
  await inspect(page);
  await Promise.all([
    given.waitForEvent("close"),
    page.getByRole("button", { name: /^Take away the tab from agent #\d+$/ }).click(),
  ]);
  await expect(page.getByText("does not see this tab")).toBeVisible();
  expect(
    hub
      .pages()
      .map((p) => p.url())
      .join(),
  ).toContain("To be given");
  await own.close();
  await expect(page.getByRole("heading", { name: "Clients with tabs of their own" })).toBeHidden();
  await hub.end();
});

test("dashboard: a page in a context of a client's own is seen, and taken over, there alone", async ({ page }) => {
  const told = [];
  const others = await chromium.connectOverCDP(`${dash.clients}/hub/two`);
  for (const context of others.contexts()) context.on("page", (p) => told.push(p.url()));
  const discovery = await others.newBrowserCDPSession();
  discovery.on("Target.targetCreated", ({ targetInfo }) => told.push(targetInfo.title + targetInfo.url));
  discovery.on("Target.targetInfoChanged", ({ targetInfo }) => told.push(targetInfo.title + targetInfo.url));
  await discovery.send("Target.setDiscoverTargets", { discover: true, filter: [{}] });

  const agent = await chromium.connectOverCDP(`${dash.clients}/hub/two`);
  const target = await (await agent.newContext()).newPage();
  await target.goto(field("Own context", "rgb(90,20,160)"));
  await page.goto(`${dash.clients}/hub/two/`);
  const own = tile(page, "Own context");
  await expect(own.getByText("private", { exact: true })).toBeVisible();
  await expect.poll(async () => near("90,20,160")(await colour(own.locator("canvas")))).toBe(true);
  await inspect(page);
  await page.getByRole("link", { name: "Own context", exact: true }).click();
  await expect(page.getByText("Private to")).toBeVisible();
  await page.getByRole("button", { name: "Take over" }).click();
  await expect(page.getByText("You have the page. Escape twice hands it back.")).toBeVisible();
  await expect(page.getByLabel("Keyboard of the page")).toBeFocused();
  await expect(target.reload()).rejects.toThrow("has the page");
  await page.keyboard.type("Ada");
  await expect(target.getByLabel("Name")).toHaveValue("Ada");
  await page.getByRole("button", { name: "Hand back" }).click();
  await expect(page.getByRole("button", { name: "Take over" })).toBeVisible();
  await target.reload();

  const { targetInfos } = await discovery.send("Target.getTargets", { filter: [{}] });
  const listed = await (await fetch(`${dash.clients}/hub/two/json/list`)).text();
  await agent.close();
  await expect(page.getByText("This target has ended.")).toBeVisible();
  await expect(page.getByRole("slider", { name: "Time" })).toBeVisible();
  await page.goto(`${dash.clients}/hub/two/`);
  await page
    .getByRole("region", { name: "two", exact: true })
    .getByText(/^Ended: /)
    .click();
  await expect(page.getByRole("link", { name: "Own context" }).first()).toBeVisible();
  await inspect(page);
  expect(JSON.stringify(targetInfos) + listed + told.join()).not.toContain("Own context");
  await others.close();
});

test("dashboard with tokens: tells nothing without one, and keeps it in the tab", async ({ page, context }) => {
  await page.goto(CLOSED_DASH);
  await expect(page.getByLabel("Token")).toBeFocused();
  await logIn(page);
  const other = await context.newPage();
  await other.goto(`${CLOSED_DASH}/#token=${closed.clientToken}`);
  await expect(other.getByText("Default hub")).toBeVisible();
  expect(other.url()).toBe(`${CLOSED_DASH}/`);
  await page.bringToFront();
  await page.getByRole("button", { name: "Forget the token" }).click();
  await expect(page.getByLabel("Token")).toBeFocused();
  await expect(page.getByText("Default hub")).toBeHidden();
});

test("dashboard: comes back by itself when the hub does", async ({ page }) => {
  const first = await startHub("127.0.0.1:0");
  await page.goto(`http://${first.addr}/`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await first.end();
  await expect(page.getByText("The hub does not answer.")).toBeVisible();
  const again = await startHub(first.addr);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(page.getByText("The hub does not answer.")).toBeHidden();
  await again.end();
});
