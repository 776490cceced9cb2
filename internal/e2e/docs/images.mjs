// Drives the demo through the hub, as a reader does, and takes the pictures of the
// documentation from the browser that shows it:
//
//   node images.mjs HUB BROWSER FOLDER
import { chromium } from "playwright-core";

const [hub, browser, folder] = process.argv.slice(2);
const viewer = await chromium.connectOverCDP(browser);
const page = viewer.contexts()[0].pages().find((p) => p.url().startsWith("http"));
await page.setViewportSize({ width: 1200, height: 620 });
await page.addStyleTag({ content: "*, ::before, ::after { caret-color: transparent !important; transition: none !important; animation: none !important }" });

const client = await chromium.connectOverCDP(hub);
const pages = client.contexts()[0].pages();
const titles = await Promise.all(pages.map((p) => p.title()));
const app = (title) => pages[titles.findIndex((t) => t.startsWith(title))];

const form = app("Sign up");
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
await client.close();

for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  await page.screenshot({ path: `${folder}/demo${colorScheme === "dark" ? "-dark" : ""}.png` });
}
await viewer.close();
