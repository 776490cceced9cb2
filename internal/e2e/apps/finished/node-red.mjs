// Node-RED: a flow is drawn by drags, its function written in Monaco, deployed and run; with changes it asks before it
// is left.

export async function script({ page, app, note, snapshot }) {
  await page.goto(`${app}/`);
  const palette = (type) => page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
  await palette("inject").waitFor();
  await page.locator(".red-ui-loading-bar, #red-ui-loading-progress").first().waitFor({ state: "hidden" });
  note("title", await page.title());
  await snapshot("header", page.locator("#red-ui-header"));

  const sheet = await page.locator("#red-ui-workspace-chart").boundingBox();
  const nodes = page.locator("#red-ui-workspace-chart g.red-ui-flow-node");
  const drop = async (type, x, y) => {
    await palette(type).scrollIntoViewIfNeeded();
    const from = await palette(type).boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(sheet.x + x, sheet.y + y, { steps: 12 });
    await page.mouse.up();
  };
  await drop("inject", 130, 80);
  await drop("function", 240, 160);
  await drop("debug", 300, 260);
  await nodes.nth(2).waitFor(); // it is drawn after the drop
  note("nodes", await nodes.allTextContents());

  const wire = async (from, to) => {
    const [a, b] = [await nodes.nth(from).locator(".red-ui-flow-port-output .red-ui-flow-port").boundingBox(), await nodes.nth(to).locator(".red-ui-flow-port-input .red-ui-flow-port").boundingBox()];
    await page.mouse.move(a.x + 5, a.y + 5);
    await page.mouse.down();
    await page.mouse.move(b.x + 5, b.y + 5, { steps: 12 });
    await page.mouse.up();
  };
  await wire(0, 1);
  await wire(1, 2);
  await page.locator("path.red-ui-flow-link-line").nth(1).waitFor({ state: "attached" });
  note("wires", await page.locator("path.red-ui-flow-link-line").count());

  await nodes.nth(1).dblclick();
  const code = page.locator("#node-input-func-editor .monaco-editor").first();
  await code.locator(".view-line").first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type('msg.payload = [1, 2, 3].map((n) => n * 7);\nreturn msg;(');
  const wrong = code.locator(".squiggly-error");
  await wrong.first().waitFor(); // a worker of Monaco's has read it
  await page.keyboard.press("Backspace");
  await wrong.first().waitFor({ state: "hidden" });
  note("code", (await code.locator(".view-line").allInnerTexts()).map((l) => l.replaceAll("\u00a0", " ")));
  await page.getByRole("button", { name: "Done" }).click();

  const asked = [];
  page.on("dialog", (d) => {
    asked.push(d.type());
    void d.dismiss();
  });
  await page.evaluate(() => { location.reload(); });
  await page.waitForTimeout(500); // which the page stays for
  note("asked", asked);
  note("still there", await nodes.count());

  await page.locator("#red-ui-header-button-deploy").click();
  await page.locator("#red-ui-header-button-deploy.disabled").waitFor();
  await page.locator("#red-ui-tab-debug-link-button").click();
  await nodes.nth(0).locator(".red-ui-flow-node-button-button").click();
  const message = page.locator(".red-ui-debug-msg").first();
  await message.waitFor();
  note("message", await message.locator(".red-ui-debug-msg-payload").innerText());
  await page.reload();
  await nodes.nth(2).waitFor();
  note("after a reload", await nodes.allTextContents());
}
