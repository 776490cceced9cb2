// Walks the pages for people: each in each state, with tokens and without, after F5, in a narrow window. No page asks for
// what it may not have (fixtures.mjs). SHOTS=FOLDER keeps a picture of each, in the light and in the dark.

import { chromium } from "@playwright/test";
import { app, closed, dash, expect, mayRefuse, open, shell, startHub, test, watchRequests } from "./fixtures.mjs";

const { BROWSED, SHOTS, GUARDED, AGENT_TOKEN, PERSON_TOKEN } = process.env;

const HEIGHT = { 1280: 800, 400: 760 };

/** Wants a page to say something, also after a reload, and to fit into a narrow window. */
async function walk(page, name, ...seen) {
  for (const again of [false, true]) {
    if (again) await page.reload();
    for (const locator of seen) await expect(locator.first()).toBeVisible();
  }
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: HEIGHT[width] });
    for (const locator of seen) await expect(locator.first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} is wider`).toBeLessThanOrEqual(
      width,
    );
    if (SHOTS) await shoot(page, `${name}-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function shoot(page, name) {
  await page.waitForTimeout(1_500); // for pictures
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

const form = (title) =>
  `data:text/html,<!doctype html><title>${title}</title><body style="font:16px system-ui;margin:2rem"><h1>${title}</h1>` +
  `<label>Name <input autofocus></label> <label>Password <input type=password></label> <button>Go on</button>` +
  `<p>${"A sentence of the page. ".repeat(30)}`;

/** An agent with a page of its own at a hub, which asks a person. */
async function agentAt(hub, token) {
  const client = await chromium.connectOverCDP(hub, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
  const page = await client.contexts()[0].newPage();
  await page.goto(form("Sign in"));
  const session = await page.context().newCDPSession(page);
  const ask = (timeout = 600_000) =>
    session.send("CdpHub.handoff", { instructions: "Please sign in with your account.", timeout });
  return {
    page,
    ask,
    cancel: (handoffId) => session.send("CdpHub.cancelHandoff", { handoffId }),
    end: async () => (await page.close(), client.close()),
  };
}

/** What a page of a handoff says in its states. */
const asks = (page) => page.getByRole("heading", { name: "The agent asks for your help" });
const free = (page) => page.getByRole("button", { name: "Click here, or press a key, to use the page" });
const mine = (page) => page.getByText("You have the page.", { exact: true });
const picture = (page) => page.locator("canvas:not(.unseen)");

for (const [kind, hub, tokens] of [
  ["open", () => `${dash.clients}/hub/two`, {}],
  ["guarded", () => `${GUARDED}/hub/two`, { agent: AGENT_TOKEN, person: PERSON_TOKEN }],
]) {
  /** Opens a link as a person does. */
  const follow = async (page, url) => {
    await page.goto(url);
    const field = page.getByLabel("Token");
    await expect(field.or(asks(page)).or(page.getByRole("heading", { name: /opens nothing|has ended/ })).first()).toBeVisible();
    if (!(await field.isVisible())) return;
    await field.fill(tokens.person);
    await page.getByRole("button", { name: "Show" }).click();
  };

  test(`walk: a handoff in each state, ${kind}`, async ({ page }) => {
    const agent = await agentAt(hub(), tokens.agent);
    let { url, handoffId } = await agent.ask();
    if (tokens.person) {
      await page.goto(url);
      await walk(page, "handoff-token", page.getByLabel("Token"));
    }
    await follow(page, url);
    await walk(page, `handoff-${kind}-before`, asks(page), free(page), picture(page));
    await free(page).click();
    await walk(page, `handoff-${kind}-mine`, asks(page), mine(page), picture(page));
    await page.getByRole("button", { name: "Done" }).click();
    await walk(page, `handoff-${kind}-done`, page.getByRole("heading", { name: "Thank you" }));

    ({ url } = await agent.ask());
    await follow(page, url);
    await expect(free(page)).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
    await walk(page, `handoff-${kind}-declined`, page.getByRole("heading", { name: "You have declined" }));

    ({ url } = await agent.ask(4_000));
    await follow(page, url);
    await walk(page, `handoff-${kind}-over`, page.getByRole("heading", { name: "This has ended" }));

    ({ url, handoffId } = await agent.ask());
    await follow(page, url);
    await expect(free(page)).toBeVisible();
    await agent.cancel(handoffId);
    await walk(page, `handoff-${kind}-taken-back`, page.getByRole("heading", { name: "This has ended" }));
    await agent.end();
  });

  test(`walk: the link of a handoff opened twice, ${kind}`, async ({ page, context, browser }) => {
    const agent = await agentAt(hub(), tokens.agent);
    const { url, handoffId } = await agent.ask();
    await follow(page, url);
    await free(page).click();
    await expect(mine(page)).toBeVisible();
    // The same person in a second window: it shows the page, and takes it.
    const second = await context.newPage();
    await follow(second, url);
    const here = second.getByRole("button", { name: "Click here, or press a key, to use the page in this window" });
    await walk(second, `handoff-${kind}-second-window`, asks(second), here, picture(second));
    await here.click();
    await expect(mine(second)).toBeVisible();
    await expect(page.getByText("You have the page in another window.").first()).toBeVisible();
    await expect(picture(page)).toBeVisible();
    // The window with the page is closed, and the link opened a third time.
    await second.close();
    await expect(mine(page)).toBeVisible();
    const third = await context.newPage();
    await page.close();
    await follow(third, url);
    await expect(mine(third).or(free(third)).first()).toBeVisible();
    // Another browser: with a token of the same person it is the same person; without tokens it is somebody else.
    const elsewhere = await browser.newContext();
    const failed = watchRequests(elsewhere);
    const other = await elsewhere.newPage();
    await follow(other, url);
    if (tokens.person) {
      await expect(asks(other)).toBeVisible();
      await expect(
        mine(other)
          .or(other.getByRole("button", { name: /^Click here/ }))
          .first(),
      ).toBeVisible();
    } else {
      mayRefuse(elsewhere, /^404 POST .*\/ui\/api\/handoff$/, "somebody else has used the link");
      await expect(other.getByRole("heading", { name: "This link opens nothing" })).toBeVisible();
      await walk(other, "handoff-used", other.getByRole("heading", { name: "cdphub" }).or(other.locator("h1, h2")));
    }
    expect(failed()).toEqual([]);
    await elsewhere.close();
    await agent.cancel(handoffId); // nobody closes the page of a person
    await agent.end();
  });
}

test("walk: a handoff whose hub is started again", async ({ page }) => {
  const args = ["--browser-path", BROWSED, "--browser-no-sandbox"];
  const first = await startHub("127.0.0.1:0", ...args);
  const agent = await agentAt(`http://${first.addr}`);
  await page.goto((await agent.ask()).url);
  await expect(free(page)).toBeVisible();
  await first.end();
  await expect(page.getByText("The hub does not answer.")).toBeVisible();
  mayRefuse(page.context(), /^503 GET .*events$/, "the hub ends");
  mayRefuse(page.context(), /401.*\/ui\/api\/(events|view)$/, "the new hub does not know the handoff");
  const again = await startHub(first.addr, ...args);
  await walk(page, "handoff-restarted", page.getByRole("heading", { name: "This has ended" }));
  await again.end();
});

test("walk: the dashboard, with three targets and with one", async ({ page, context }) => {
  const client = await chromium.connectOverCDP(`${dash.clients}/hub/three`);
  const pages = client.contexts()[0].pages();
  for (const title of ["Orders", "A page with a rather long title that does not fit"]) {
    pages.push(await client.contexts()[0].newPage());
    await pages.at(-1).goto(form(title));
  }
  await pages[0].goto(form("Search"));
  await page.goto(`${dash.clients}/hub/three/`);
  const tiles = page.getByRole("region", { name: "three", exact: true }).locator(".tile canvas:not(.unseen)");
  await walk(page, "dashboard-3", tiles.nth(2), page.getByRole("link", { name: "Orders", exact: true }));
  const width = async () => (await tiles.first().boundingBox()).width;
  const three = await width();
  expect(three).toBeGreaterThan(280);
  for (const label of await page.locator(".tile .badge").all())
    for (const canvas of await tiles.all()) {
      const [a, b] = [await label.boundingBox(), await canvas.boundingBox()];
      expect(
        a.y >= b.y + b.height || a.x >= b.x + b.width || a.x + a.width <= b.x || a.y + a.height <= b.y,
        "a label covers a picture",
      ).toBe(true);
    }
  await pages.pop().close();
  await pages.pop().close();
  await expect(tiles).toHaveCount(1);
  await expect.poll(width).toBeGreaterThanOrEqual(three); // the tiles of other hubs need room, too
  await walk(page, "dashboard-1", tiles, page.getByText(/^Ended: /));

  await page.getByRole("link", { name: "Search", exact: true }).click();
  await walk(page, "target", picture(page), page.getByRole("button", { name: "Take over" }));
  await page.getByRole("button", { name: "Take over" }).click();
  await expect(page.getByText("You have the page. Escape twice hands it back.")).toBeVisible();
  await expect(page.getByText("held by")).toHaveCount(0);
  if (SHOTS) await shoot(page, "target-mine-1280");
  // Its own viewing is in none of the figures.
  const overview = await context.newPage();
  await overview.goto(`${dash.clients}/hub/three/`);
  await client.close();
  await expect(overview.locator(".numbers")).toContainText(/Clients\s*0\s*Sessions\s*0/);
  await overview.close();
  await page.getByRole("link", { name: "Connect", exact: true }).click();
  await walk(page, "connect", page.getByRole("heading", { name: "Connect", exact: true }));
});

test("walk: the other pages, with tokens and without", async ({ page, context }) => {
  await page.goto(GUARDED);
  await walk(page, "dashboard-token", page.getByLabel("Token"));
  await page.goto(`${GUARDED}/#token=${PERSON_TOKEN}`);
  await walk(page, "dashboard-guarded", page.getByRole("heading", { name: "Targets" }));
  await page.goto(open.clients);
  await walk(page, "home", page.getByRole("heading", { level: 1 }));
  await page.goto(closed.clients);
  await walk(page, "home-token", page.getByLabel("Token"));
  const host = await context.newPage();
  await host.goto(shell(dash, app));
  await walk(host, "shell", host.getByText("Frame paired"));
  await page.goto(`${dash.clients}/`);
  await page.getByRole("link", { name: "Field book", exact: true }).click();
  await walk(page, "target-frame", picture(page));
});
