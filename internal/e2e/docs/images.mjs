// Takes the pictures of the documentation.
//
//   node images.mjs demo HUB BROWSER FOLDER
//
// drives the demo through the hub, as a reader does, and takes them from the browser
// that shows it;
//
//   node images.mjs recording URL BROWSER FOLDER
//
// takes that of a recording, which is served at the URL, with another browser: its
// program.
import { chromium } from "playwright-core";

/** For how long the apps are driven in the picture: the plots have a point for each second. */
const PLOTTED_MS = 6_000;

const [what, url, browser, folder] = process.argv.slice(2);
await { demo, recording }[what]();

async function demo() {
  const viewer = await chromium.connectOverCDP(browser);
  const [context] = viewer.contexts();
  const page = context.pages().find((p) => p.url().startsWith("http"));
  await page.setViewportSize({ width: 1200, height: 620 });
  await page.addStyleTag({ content: "*, ::before, ::after { caret-color: transparent !important; transition: none !important; animation: none !important }" });
  const client = await chromium.connectOverCDP(url);
  const pages = client.contexts()[0].pages();
  const titles = await Promise.all(pages.map((p) => p.title()));
  const app = (title) => pages[titles.findIndex((t) => t.startsWith(title))];
  await drive(app);
  await dashboard(context, pages);
  await handoff(context, client, app("Sign up"));
  await devTools(context);
  await client.close();
  await page.bringToFront();
  await shoot(page, "demo");
  await viewer.close();
}

/** Leaves something to see in each app. */
async function drive(app) {
  const form = app("Sign up");
  await form.reload(); // so that its recording begins with its address
  await form.getByLabel("Full name").fill("Ada Lovelace");
  await form.getByLabel("Email").fill("ada@example.org");
  await form.getByLabel("Password").fill("correct horse");
  await form.getByLabel("Plan").selectOption("team");
  await form.getByLabel("I accept the terms").check();

  const todo = app("Todo");
  for (const task of ["Drive an iframe", "Leave the app as it is"]) {
    await todo.getByRole("textbox", { name: "New task" }).fill(task);
    await todo.keyboard.press("Enter");
  }
  await todo.getByRole("checkbox", { name: "Water the plants" }).check();

  const orders = app("Orders");
  await orders.getByRole("button", { name: "Open order 12", exact: true }).click();
  await orders.getByRole("dialog").waitFor();
}

/** Is seen while the client is connected: it names who drives the apps. */
async function dashboard(context, driven) {
  const page = await open(context, url, 520);
  await page.getByRole("heading", { level: 4 }).nth(2).waitFor();
  await page.locator(".placeholder").first().waitFor({ state: "hidden" });
  const until = Date.now() + PLOTTED_MS;
  while (Date.now() < until) for (const p of driven) await p.title();
  await shoot(page, "dashboard");
  await page.close();
}

/** What a person sees who has followed the link of an agent, and has the page. */
async function handoff(context, client, form) {
  const session = await client.contexts()[0].newCDPSession(form);
  const complete = new Promise((resolve) => session.once("CdpHub.handoffComplete", resolve));
  const asked = await session.send("CdpHub.handoff", { instructions: "Please enter a password of your own, and create the account." });
  const page = await open(context, asked.url, 900);
  await page.getByRole("button", { name: "Click here" }).click();
  await page.getByText("You have the page.", { exact: true }).waitFor();
  await page.locator(".stage canvas:not(.unseen)").waitFor();
  await shoot(page, "handoff");
  await page.getByRole("button", { name: "Done" }).click();
  const { success } = await complete;
  if (!success) throw new Error("the handoff was not done");
  await page.close();
}

/** DevTools of an app in an iframe, with the rules of a node. */
async function devTools(context) {
  const list = await (await fetch(`${url}/json/list`)).json();
  const page = await context.newPage();
  await page.addInitScript(() => localStorage.setItem("screencast-enabled", "false"));
  await page.setViewportSize({ width: 1200, height: 620 });
  await page.goto(list.find((t) => t.title.startsWith("Todo")).devtoolsFrontendUrl);
  const node = page.locator(".elements-disclosure li", { hasText: "h1" }).last();
  await node.click();
  await page.locator(".styles-section", { hasText: "app.css" }).first().waitFor();
  await shoot(page, "devtools");
  await page.close();
}

async function recording() {
  const viewer = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  const page = await open(await viewer.newContext(), url, 900);
  await page.getByRole("slider", { name: "Time" }).press("End");
  await page.locator(".stage img").waitFor();
  await shoot(page, "recording");
  await viewer.close();
}

async function open(context, address, height) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1200, height });
  await page.goto(address);
  return page;
}

/** Takes a picture in the light and one in the dark. */
async function shoot(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}${colorScheme === "dark" ? "-dark" : ""}.png` });
  }
}
