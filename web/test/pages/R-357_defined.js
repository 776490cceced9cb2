// What a page defines reaches the agent neither as a global, nor as a property of a node: each of these pages is read,
// clicked and typed into like any other.
const box = `<button style="position:fixed;left:20px;top:20px;width:80px;height:30px" onclick="clicks++">Press</button><input id=field value="">`;
const script = (text) => `<script>${text}<\/script>`;
const pages = {
  "var parent": script(
    "var parent = 1, innerWidth = 2, innerHeight = 'x', scrollX = {}, devicePixelRatio = null, origin = 1, frames = 1",
  ),
  "functions of global names": script(
    "function performance() {} function history() {} function navigator() {} function screen() {}",
  ),
  "classes of built-in names": script(
    "class Node {} class Element {} class Event {} const Set = 1; const Map = null; let URL = 0; const Promise = 2",
  ),
  "var of built-in names": script(
    "var Node = 1, Element = 1, Set = 1, Map = 1, Event = 1, MouseEvent = 1, PointerEvent = 1",
  ),
  "names in the document": `<form name=body></form><img name=documentElement><form name=defaultView></form><img name=createElement><form name=activeElement></form>`,
};
const button = { x: 40, y: 30, button: "left", clickCount: 1 };
for (const [what, html] of Object.entries(pages)) {
  await visit("/defined", { html: `${script("var clicks = 0")}${box}${html}` });
  is(await value("1 + 1"), 2, what);
  const { root } = await cdp("DOM.getDocument", { depth: -1 });
  is(JSON.stringify(root).includes('"BUTTON"'), true, `${what}: DOM.getDocument`);
  const { nodes } = await cdp("Accessibility.getFullAXTree");
  is(nodes.filter((n) => n.role?.value === "button").length, 1, `${what}: the accessibility tree`);
  for (const type of ["mousePressed", "mouseReleased"]) await cdp("Input.dispatchMouseEvent", { type, ...button });
  is(await value("clicks"), 1, `${what}: a click`);
  await value("field.focus()");
  await cdp("Input.insertText", { text: "ab" });
  is(await value("field.value"), "ab", `${what}: text`);
  const { cssVisualViewport } = await cdp("Page.getLayoutMetrics");
  is(cssVisualViewport.clientWidth, 800, `${what}: the viewport`);
}
