// What recordings are made of: each case drives a page of its own. The app tells after each what it got.
import { chromium } from "@playwright/test";

const app = process.env.APP;
const browser = await chromium.connectOverCDP(process.env.CDP_ENDPOINT);
const context = browser.contexts()[0];
const settle = (page) => page.waitForTimeout(1200); // a picture is taken, and the page is read

/** Takes the page over as a person does in the dashboard, and sends messages of a viewer. */
async function person(page, act) {
  const session = await context.newCDPSession(page);
  const { targetInfo } = await session.send("Target.getTargetInfo");
  const dashboard = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  const view = await dashboard.newPage();
  await view.goto(process.env.CDP_ENDPOINT);
  await view.evaluate(async (target) => {
    const socket = (globalThis.socket = new WebSocket(`ws://${location.host}/ui/api/view?target=${target}`));
    await new Promise((opened) => socket.addEventListener("open", opened));
    let again;
    await new Promise((taken) => {
      socket.addEventListener(
        "message",
        (e) => typeof e.data === "string" && e.data.includes('"mine":true') && taken(),
      );
      again = setInterval(() => socket.send(JSON.stringify({ kind: "take" })), 200); // until the view has begun
    });
    clearInterval(again);
  }, targetInfo.targetId);
  const send = (message) => view.evaluate((m) => globalThis.socket.send(JSON.stringify(m)), message);
  const pause = () => view.waitForTimeout(150);
  await act({
    async click(x, y) {
      for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
        await send({ kind: "mouse", type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
      await pause();
    },
    async type(text) {
      for (const c of text) {
        await send({ kind: "key", type: "keyDown", key: c, text: c });
        await send({ kind: "key", type: "keyUp", key: c });
      }
      await pause();
    },
    async press(key, code) {
      await send({
        kind: "key",
        type: "keyDown",
        key,
        code: key,
        windowsVirtualKeyCode: code,
        text: key === "Enter" ? "\r" : "",
      });
      await send({ kind: "key", type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
      await pause();
      await pause();
    },
    paste: (text) => send({ kind: "paste", text }).then(pause),
  });
  await send({ kind: "release" });
  await pause();
  await dashboard.close();
}

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

const send = (page) => page.getByRole("button", { name: "Send" }).click();

const cases = {
  async fields(page) {
    await page.goto(`${app}fields`);
    for (const [name, text] of Object.entries({
      Text: "Zaphod",
      Mail: "a@b.example",
      Link: "https://b.example/",
      Phone: "555123",
      Search: "oak",
      Secret: "hunter2!",
      Notes: "two lines",
    }))
      await page.getByLabel(name, { exact: true }).fill(text);
    await page.getByLabel("Count", { exact: true }).fill("42");
    await page.getByLabel("Rich").fill("rich text");
    for (const [name, value] of Object.entries({
      Day: "2026-11-27",
      Time: "09:30",
      Moment: "2026-11-27T09:30",
      Month: "2026-11",
      Week: "2026-W48",
      Size: "7",
      Paint: "#336699",
    }))
      await page.getByLabel(name, { exact: true }).fill(value);
    await page.getByLabel("Agree").check();
    await page.getByLabel("Large").check();
    await page.getByRole("combobox", { name: "Sort" }).selectOption("price");
    await page.getByLabel("Tags").selectOption(["red", "blue"]);
    await page
      .getByLabel("One file")
      .setInputFiles([{ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") }]);
    await page.getByLabel("Files", { exact: true }).setInputFiles([
      { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") },
      { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("b") },
    ]);
    await send(page);
    await page.getByText("Thank you").waitFor();
  },
  async keys(page) {
    await page.goto(`${app}fields`);
    await page.getByLabel("Text").pressSequentially("wrong");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.type("right");
    await page.keyboard.press("Tab");
    await page.keyboard.type("a@b.example");
    await page.getByLabel("Day").click({ position: { x: 8, y: 8 } });
    await page.keyboard.type("11272026");
    await page.getByRole("combobox", { name: "Sort" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByLabel("Size").focus();
    await page.keyboard.press("ArrowRight");
    await page.getByLabel("Text").press("Enter");
    await page.getByText("Thank you").waitFor();
  },
  async script(page) {
    await page.goto(`${app}fields`);
    await page.waitForTimeout(1100); // a page that sets fields while its user acts does so by itself
    await page.evaluate(() => {
      const set = (name, key, value, types) => {
        const field = document.querySelector(`[name=${name}]`);
        field[key] = value;
        for (const type of types) field.dispatchEvent(new Event(type, { bubbles: true }));
      };
      set("text", "value", "by a script", ["input", "change"]);
      set("sort", "value", "name", ["change"]);
      set("day", "value", "2026-11-28", ["input"]);
      set("agree", "checked", true, ["change"]);
      document.querySelector("[value=large]").click();
    });
    await page.waitForTimeout(300);
    await page.evaluate(() => document.querySelector("[type=submit]").click());
    await page.getByText("Thank you").waitFor();
  },
  async frames(page) {
    await page.goto(`${app}frames`);
    const inner = page.frameLocator("iframe").frameLocator("iframe");
    await inner.getByLabel("Text").pressSequentially("within");
    await inner.getByRole("combobox", { name: "Sort" }).selectOption("price");
    await inner.getByRole("button", { name: "Send" }).click();
    await inner.getByText("Thank you").waitFor();
    await page.getByLabel("Shadow").fill("in a shadow tree");
    await page.getByRole("button", { name: "In the shadow" }).click();
    await page.getByText("Shadow pressed").waitFor();
  },
  async dialogs(page) {
    await page.goto(`${app}dialogs`);
    page.on("dialog", (dialog) => (dialog.type() === "prompt" ? dialog.accept("Zaphod") : dialog.accept()));
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("Asked").waitFor();
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Confirmed").waitFor();
  },
  async search(page) {
    await page.goto(`${app}search`);
    await page.getByLabel("Search").fill("oak");
    await page.getByLabel("Search").press("Enter");
    await page.getByRole("button", { name: "Add oak desk to cart" }).click();
    await page.getByText("In your cart").waitFor();
    await settle(page);
    await page.getByLabel("Password").fill("hunter2!");
    await page.getByRole("button", { name: "Reveal" }).click();
    await page.getByRole("button", { name: "Forget hunter2!" }).click();
    await page.getByText("Forgotten").waitFor();
  },
  async takeover(page) {
    await page.goto(`${app}login`);
    await page.getByLabel("Password").fill("hunter2!");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("link", { name: "Shop" }).waitFor();
    const link = await middle(page.getByRole("link", { name: "Shop" }));
    await person(page, async ({ click, type, press, paste }) => {
      await click(...link);
      await page.getByLabel("Search").waitFor();
      await click(...(await middle(page.getByLabel("Search"))));
      await type("oak");
      await press("Enter", 13);
      await page.getByRole("button", { name: "Add oak desk to cart" }).waitFor();
      await click(...(await middle(page.getByLabel("Search"))));
      await paste("elm");
      await click(...(await middle(page.getByRole("button", { name: "Add oak desk to cart" }))));
      await page.getByText("In your cart").waitFor();
    });
  },
};

setTimeout(() => process.exit(3), 120_000).unref(); // a page that hangs says so
for (const [name, drive] of Object.entries(cases)) {
  if (process.env.ONLY && !process.env.ONLY.split(",").includes(name)) continue;
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await fetch(`${app}case?name=${name}`);
  console.log(name);
  await drive(page);
  await settle(page);
  await page.close();
}
await browser.close();
