// The background of the root element, or where it has none the body's, is the
// whole canvas's (CSS Backgrounds 3, 2.11). In a picture the root is a box like
// any other: one behind it stands for the canvas.

const PARTS = ["color", "image", "position", "size", "repeat", "attachment"].map((part) => `background-${part}`);

/** Puts the canvas behind the copy of a root element; far is further than the picture reaches from it. */
export function ground(root: HTMLElement, copies: ReadonlyMap<Node, HTMLElement>, far: number): void {
  const body = root.ownerDocument.body as HTMLElement | null;
  const source = [root, body].find((el) => el && copies.has(el) && painted(el));
  const copy = source && copies.get(source),
    copyOfRoot = copies.get(root);
  if (!source || !copy || !copyOfRoot) return;
  const canvas = root.ownerDocument.createElement("div");
  canvas.style.cssText =
    `position:absolute;z-index:-1;margin:${-far}px;padding:${far}px;` +
    `width:${root.offsetWidth}px;height:${root.offsetHeight}px;background-origin:content-box`;
  for (const part of PARTS) {
    canvas.style.setProperty(part, copy.style.getPropertyValue(part) || styleOf(source).getPropertyValue(part));
  }
  copy.style.background = "none";
  copyOfRoot.style.isolation = "isolate";
  copyOfRoot.prepend(canvas);
}

function painted(el: Element): boolean {
  const style = styleOf(el);
  return (
    style.display !== "none" && (style.backgroundImage !== "none" || !/^rgba\(.*, 0\)$/.test(style.backgroundColor))
  );
}

function styleOf(el: Element): CSSStyleDeclaration {
  return (el.ownerDocument.defaultView ?? window).getComputedStyle(el);
}
