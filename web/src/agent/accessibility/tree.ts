// Builds the accessibility tree of one document from its flat tree and the
// computed styles, object for object as Chromium 156 does.

import { pathOf } from "../../flattree";
import { type Box, Boxes, flatChildren, isBlockFlow, isSvgPart } from "./boxes";
import { isFocusable } from "./focus";
import { addMarker, addPseudo, type Flow } from "./pseudo";
import { isInteresting, isRedundantLabel } from "./interest";
import { ancestor, append, FOCUSABLE, type Item, shownChildren } from "./item";
import { Line } from "./lines";
import { ariaName, nameOf, references } from "./names";
import { addParts } from "./parts";
import { roleOf } from "./roles";
import { separates } from "./spaces";

/** The tree of a document; the root is its RootWebArea. */
export function buildTree(doc: Document): Item {
  return new Builder(doc).build();
}

/** What holds for everything below an element. */
interface Scope {
  /** Hidden by aria-hidden, inert or a modal dialog: laid out, but not exposed. */
  hidden: boolean;
}

class Builder {
  private readonly boxes = new Boxes();
  private readonly items = new Map<Element, Item>();
  private readonly owners: Item[] = [];
  private readonly modal: Element | undefined;

  constructor(private readonly doc: Document) {
    this.modal = Array.from(doc.querySelectorAll("dialog:modal")).pop();
  }

  build(): Item {
    const root: Item = {
      role: "RootWebArea",
      node: this.doc,
      text: undefined,
      children: [],
      ignored: false,
      block: undefined,
    };
    root.name = this.doc.title;
    root.block = root;
    const scope = { hidden: this.modal !== undefined };
    const line = new Line();
    if (this.doc.documentElement)
      this.element(this.doc.documentElement, root, line, { inline: false, block: false }, scope);
    line.end();
    this.dropSpaces(root);
    for (const owner of this.owners) this.adopt(owner);
    this.settle(root);
    return root;
  }

  /** Walks the children of a node in the flat tree. */
  private children(
    node: Node,
    parent: Item,
    line: Line,
    box: Box,
    flow: Flow,
    scope: Scope,
    except?: Node | null,
  ): void {
    for (const child of flatChildren(node)) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (!showsText(node)) continue;
        if (box.itemises) line.end();
        const before = parent.children.length;
        line.text(parent, child as Text, (child as Text).data, box, scope.hidden);
        if (parent.children.length > before) flow.inline = true;
        if (box.itemises) line.end();
      } else if (child.nodeType === Node.ELEMENT_NODE && child !== except) {
        this.element(child as Element, parent, line, flow, scope);
      }
    }
  }

  private element(el: Element, parent: Item, line: Line, flow: Flow, scope: Scope): void {
    const box = this.boxes.of(el);
    if (box.kind === "none" || isUnrendered(el)) return;
    const hidden =
      el === this.modal
        ? false
        : scope.hidden || el.getAttribute("aria-hidden") === "true" || (el as HTMLElement).inert === true;
    const below: Scope = { hidden: hidden || el.localName === "rt" }; // ruby annotations are part of the description
    const role = roleOf(
      el,
      parent,
      () => !!(ariaName(el) ?? el.getAttribute("title")),
      () => isFocusable(el),
    );
    if (box.kind === "contents" && (role === "generic" || role === "none")) {
      this.children(el, parent, line, parentBox(el, this.boxes), flow, below);
      return;
    }
    if (el.localName === "br" && role === "generic") {
      line.end();
      append(parent, "LineBreak", { node: el, text: "\n", ignored: hidden || !box.visible });
      flow.inline = true;
      return;
    }
    flow[box.kind === "block" ? "block" : "inline"] = true;
    const item = append(parent, role, { node: el, el });
    this.items.set(el, item);
    if (el.hasAttribute("aria-owns")) this.owners.push(item);
    this.contents(item, el, box, line, below);
    this.expose(item, el, box, hidden);
  }

  /** Fills an object with the contents of its element. */
  private contents(item: Item, el: Element, box: Box, line: Line, scope: Scope): void {
    const own = /^(inline|contents|block)$/.test(box.kind) ? line : new Line();
    if (box.kind === "block") line.end();
    if (box.kind === "block" || box.kind === "out") item.block = item;
    if (!box.skipped && !addParts(item, el, scope.hidden)) {
      const flow = { inline: false, block: false };
      addPseudo(el, "::before", item, own, flow, scope.hidden);
      if (el.localName === "details") this.details(el, item, own, box, scope);
      else this.children(el, item, own, box, flow, scope);
      addPseudo(el, "::after", item, own, flow, scope.hidden);
      item.holdsLines = flow.inline && !flow.block && isBlockFlow(box, el);
      if (el.localName !== "summary" || flow.block) addMarker(el, item, this.boxes, scope.hidden);
    }
    if (box.kind === "block" || own !== line) own.end();
    if (box.kind === "atomic") {
      line.object();
      item.apart = true;
    }
  }

  /** A details element: its summary first, the rest in a box of its own. */
  private details(el: Element, item: Item, line: Line, box: Box, scope: Scope): void {
    const summary = mainSummary(el);
    const flow = { inline: false, block: false };
    if (summary) this.element(summary, item, line, flow, scope);
    else addDefaultSummary(item, scope.hidden);
    if (isClosed(el)) return;
    const rest = append(item, "generic");
    rest.block = rest;
    const inside = { inline: false, block: false };
    this.children(el, rest, line, box, inside, scope, summary);
    line.end();
    rest.ignored = scope.hidden || !inside.inline || inside.block;
  }

  /** Decides whether Clients see the object itself. */
  private expose(item: Item, el: Element, box: Box, hidden: boolean): void {
    if (item.role === "none") {
      item.ignored = true;
      item.reason = "presentationalRole";
    } else if (hidden || !box.visible || !isInteresting(item, el, box)) {
      item.ignored = true;
      item.reason = "uninteresting";
    } else if (isRedundantLabel(item, el, box)) {
      for (const i of [item, ...item.children.filter((c) => c.text !== undefined)]) {
        i.ignored = true;
        i.reason = "labelFor";
      }
    }
  }

  /** Takes out the spaces that separate nothing. */
  private dropSpaces(item: Item): void {
    item.children = item.children.filter((c) => {
      if (c.space && c.text === " " && !separates(c, this.boxes)) return false;
      this.dropSpaces(c);
      return true;
    });
  }

  /** Moves what aria-owns names to the end of the owner's children. */
  private adopt(owner: Item): void {
    for (const el of references(owner.el!, "aria-owns") ?? []) {
      const item = this.items.get(el);
      if (!item?.parent || ancestor(owner, (i) => i === item)) continue;
      item.parent.children = item.parent.children.filter((c) => c !== item);
      item.parent = owner;
      owner.children.push(item);
    }
  }

  /** Decides what depends on the children. */
  private settle(item: Item): void {
    for (const child of item.children) this.settle(child);
    item.children = this.lifted(item);
    if (item.ignored) return;
    if (item.role === "generic" && item.el?.getAttribute("draggable") === "true") item.role = "group";
    if (item.role === "SvgRoot" && shownChildren(item).length === 0) item.role = "image";
    const empty = shownChildren(item).length === 0;
    if (item.role === "Canvas" && empty && !nameOf(item)) item.ignored = true;
    if (item.ignored) item.reason = "uninteresting";
  }

  /**
   * The children as Chromium lists them. Ignored ones are included, except spans and the like: Clients join texts
   * that are siblings.
   */
  private lifted(parent: Item): Item[] {
    const list: Item[] = [];
    let gap = false;
    for (const child of parent.children) {
      const shown = this.isPassedOver(child) ? child.children : [child];
      if (gap && shown[0]) shown[0].gap = true;
      gap = child.el?.localName === "wbr" || (gap && shown.length === 0);
      for (const c of shown) c.parent = parent;
      list.push(...shown);
    }
    return list;
  }

  private isPassedOver(item: Item): boolean {
    return (
      item.ignored &&
      item.reason === "uninteresting" &&
      item.el !== undefined &&
      /^(inline|contents)$/.test(this.boxes.of(item.el).kind)
    );
  }
}

/** The summary that the browser puts in where there is none. */
function addDefaultSummary(details: Item, hidden: boolean): void {
  const summary = append(details, "DisclosureTriangle", { name: "Details", properties: [FOCUSABLE], ignored: hidden });
  append(summary, "StaticText", { text: "Details", ignored: hidden });
}

/** Elements that have a computed style but are not laid out. */
const UNRENDERED =
  /^(title|desc|metadata|defs|symbol|clipPath|mask|marker|pattern|linearGradient|radialGradient|filter)$/;

/**
 * Whether an element is not laid out, whatever its style says. In a closed details element only the summary is laid
 * out.
 */
function isUnrendered(el: Element): boolean {
  if (el.localName === "noscript" || (isSvgPart(el) && UNRENDERED.test(el.localName))) return true;
  return isClosed(el.parentNode) && mainSummary(el.parentNode as Element) !== el;
}

function isClosed(node: Node | null): boolean {
  return (node as Element | null)?.localName === "details" && !(node as HTMLDetailsElement).open;
}

function mainSummary(details: Element): Element | null {
  return details.querySelector(":scope > summary");
}

/** Text is not rendered in a closed details element, nor in an SVG picture outside of its text elements. */
function showsText(node: Node): boolean {
  const el = node as Element;
  if (el.localName === "svg" || (el.nodeType === Node.ELEMENT_NODE && isSvgPart(el)))
    return el.closest("text") !== null;
  return !isClosed(node);
}

/** The box that lays out the children of an element without a box of its own. */
function parentBox(el: Element, boxes: Boxes): Box {
  const host = pathOf(el).find((e) => boxes.of(e).kind !== "contents");
  const box = boxes.of(el);
  return host ? { ...box, itemises: boxes.of(host).itemises } : box;
}
