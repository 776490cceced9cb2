// SVG-Edit, which reads window.top: a drawing is made, changed, undone and read as source.

export async function script({ page, app, note, snapshot }) {
  await page.goto(`${app}/index.html`);
  const dialog = page.getByRole("dialog", { name: "storage preferences" });
  await dialog.getByRole("combobox").selectOption("Do not store my preferences or SVG content locally");
  await dialog.getByRole("button", { name: "OK" }).click();
  await dialog.waitFor({ state: "hidden" });
  note("title", await page.title());
  await snapshot("start");

  const drawing = page.locator("#svgcontent");
  const drag = async (from, to) => {
    const box = await page.locator("#workarea").boundingBox();
    await page.mouse.move(box.x + from[0], box.y + from[1]);
    await page.mouse.down();
    await page.mouse.move(box.x + to[0], box.y + to[1], { steps: 6 });
    await page.mouse.up();
    // What has been drawn fades in, and takes the next press for its own until it is there.
    await page.waitForFunction(() => !document.querySelector("#svgcontent animate, #svgcontent [opacity='0.5']"));
  };
  const count = async (name) => {
    await drawing.locator(name).waitFor({ state: "attached" });
    return drawing.locator(name).count();
  };

  await page.locator("#tools_rect").click();
  await drag([150, 120], [300, 220]);
  note("a rectangle", await count("rect"));
  await page.keyboard.press("e");
  await drag([330, 120], [430, 220]);
  note("an ellipse", await count("ellipse"));
  await page.locator("#tool_line").click();
  await drag([150, 260], [400, 300]);
  note("a line", await count("line"));

  await page.locator("#tool_select").click();
  await page.keyboard.press("ControlOrMeta+a");
  note("all are selected", await page.locator("#selectorParentGroup > g:not([display=none])").count());
  await page.keyboard.press("Delete");
  note("after Delete", await drawing.locator("[id^=svg_]").count());
  await page.keyboard.press("ControlOrMeta+z");
  note("after undo", await drawing.locator("[id^=svg_]").count());

  await drag([320, 170], [350, 190]); // the ellipse
  await page.locator("#tool_source").click();
  const source = await page.locator("#svg_source_textarea").inputValue();
  note("source", source.replace(/ (x|y|x1|x2|y1|y2|cx|cy|rx|ry|width|height)="[^"]*"/g, "").split("\n").map((l) => l.trim()));
  await snapshot("source");
  await page.locator("#svg_source_textarea").fill('<svg width="640" height="480" xmlns="http://www.w3.org/2000/svg"><g><title>Layer 1</title><text id="svg_9" x="50" y="90">Ada</text></g></svg>');
  await page.locator("#tool_source_save").click();
  note("from source", await drawing.locator("text").allTextContents());
}
