// What text is typed into, and its selection.

import { styleOf } from "../../flattree";
import { originals } from "../base/originals";
import { isTextControl, listenForEdits, notify, setCaret, type TextControl, withheld } from "./change";
import { contextOf } from "./editcontext";
import { isFirefox } from "../base/engine";
import { modifyField } from "./fieldcaret";
import { send } from "./point";

/** Whether text can be typed into it. */
export function isEditable(el: Element): boolean {
  if (isTextControl(el)) return !el.readOnly && !el.disabled;
  return (
    contextOf(el) !== undefined ||
    (el as HTMLElement).isContentEditable === true ||
    el.ownerDocument.designMode === "on"
  );
}

/** Whether text in it can be formatted. */
export function isRich(el: Element): boolean {
  return !isTextControl(el) && isEditable(el) && (el as HTMLElement).contentEditable !== "plaintext-only";
}

/** The selection in the tree of an element. Chromium has one for each shadow tree. */
export function selectionIn(el: Element): Selection | null {
  const root = el.getRootNode() as Document; // a ShadowRoot may have it, too
  return root.getSelection?.() ?? el.ownerDocument.getSelection();
}

/** The ends of a selection, the first in the document first. */
export type Ends = Pick<StaticRange, "startContainer" | "startOffset" | "endContainer" | "endOffset">;

/** What is selected in the document. Text controls have a selection of their own. */
export function selectedIn(el: Element): Range | undefined {
  const selection = isTextControl(el) ? null : selectionIn(el);
  return selection?.rangeCount ? selection.getRangeAt(0) : undefined;
}

/** Whether nothing is selected, but there is a caret. */
export function isCaret(el: Element): boolean {
  if (!isTextControl(el)) return selectionIn(el)?.isCollapsed === true;
  return el.selectionStart === null ? `${selectionIn(el)}` === "" : el.selectionStart === el.selectionEnd;
}

/** What is selected in a text control; undefined for email and number fields, which do not say. */
const offsetsOf = (el: Element): string | undefined => {
  if (!isTextControl(el) || el.selectionStart === null) return undefined;
  return `${el.selectionStart} ${el.selectionEnd} ${el.selectionDirection}`;
};

/** For the controls in which the agent has just selected, how many select events of the browser follow with its frames. */
const quiet = new Map<Element, number>();

withheld.select = (_, el) => {
  const left = quiet.get(el) ?? 0;
  if (left) quiet.set(el, left - 1);
  return left > 0;
};

/** Where a selection by the mouse began and ended, in controls that do not say what is selected. */
const selectedByMouse = new WeakMap<Element, [anchor: number, head: number]>();

/** Where the selection in a text control began, and where it ended. */
export function endsIn(el: TextControl): [anchor: number, head: number] {
  const { selectionStart: from, selectionEnd: to, selectionDirection } = el;
  if (from === null || to === null) return selectedByMouse.get(el) ?? [0, 0];
  return selectionDirection === "backward" ? [to, from] : [from, to];
}

/**
 * Selects in a text control, without a select event of the browser. Email and number fields have no offsets: there the
 * caret is moved, as by keys.
 */
export function selectInControl(el: TextControl, from: number, to = from, backward = false): void {
  listenForEdits(el.getRootNode());
  const old = offsetsOf(el);
  if (old === undefined) {
    selectedByMouse.set(el, backward ? [to, from] : [from, to]);
    modify(el, "move", "backward", "documentboundary", { silent: true });
    modify(el, "move", "forward", "character", { silent: true, times: backward ? to : from });
    return modify(el, "extend", backward ? "backward" : "forward", "character", { silent: true, times: to - from });
  }
  setCaret(el, from, to, backward);
  if (offsetsOf(el) === old) return;
  quiet.set(el, (quiet.get(el) ?? 0) + 1);
  originals.setTimeout(() => quiet.delete(el), 500); // longer than a frame takes
}

/** Asks the page whether a selection may begin at a node. */
export function mayStart(node: Node): boolean {
  const { Event } = node.ownerDocument?.defaultView ?? window;
  return send(node, new Event("selectstart", { bubbles: true, cancelable: true }));
}

/**
 * Moves the end of the selection, or both, as Selection.modify does. That is silent; unless `silent`, the events of
 * Chromium's own commands follow. It asks the page nothing when it moves by pages.
 */
export function modify(
  el: Element,
  alter: "move" | "extend",
  direction: string,
  unit: string,
  { silent = false, pages = false, times = 1 } = {},
): void {
  const selection = el.ownerDocument.getSelection();
  const own = selectionIn(el);
  if (!selection || !own) return;
  const act = (): void => {
    for (let i = 0; i < times; i++) {
      if (isFirefox && isTextControl(el)) modifyField(el, alter === "extend", direction, unit);
      else selection.modify(alter, direction, unit);
    }
  };
  const { anchorNode, anchorOffset, isCollapsed } = own;
  const old = isTextControl(el) ? (offsetsOf(el) ?? `${own}`) : undefined;
  act();
  if (silent) return;
  if (isTextControl(el)) {
    if (!isCaret(el) && (offsetsOf(el) ?? `${own}`) !== old) notify(el, "select");
  } else if (alter === "extend" && !pages && isCollapsed && !own.isCollapsed && anchorNode) {
    own.collapse(anchorNode, anchorOffset);
    if (mayStart(anchorNode)) act();
  }
}

// ---------------------------------------------------------------- positions

type Place = [node: Node, offset: number];

const isInline = (el: Element): boolean =>
  styleOf(el).display === "inline" && !/^(br|img|input|textarea|select|button)$/.test(el.localName);

/** The text before or after a node, if neither a box nor the end of a block is between them. */
export function textBeside(node: Node, back: boolean): Text | undefined {
  const nextOf = (n: Node): Node | null => (back ? n.previousSibling : n.nextSibling);
  const innerOf = (n: Node): Node | null => (back ? n.lastChild : n.firstChild);
  for (let at: Node | null = node; at; ) {
    let beside: Node | null = nextOf(at);
    if (!beside) {
      const parent: Element | null = at.parentElement;
      if (!parent || !isInline(parent)) return undefined;
      at = parent;
      continue;
    }
    for (;;) {
      if (beside.nodeType === 3) {
        if (beside.nodeValue !== "") return beside as Text;
        break;
      }
      if (beside.nodeType === 1 && !isInline(beside as Element)) return undefined;
      const child: Node | null = innerOf(beside);
      if (!child) break;
      beside = child;
    }
    at = beside;
  }
  return undefined;
}

/** A place where Chromium puts a caret, or the end of selected text: between two texts, the end of the first. */
export function upstream([node, offset]: Place): Place {
  const before = node.nodeType === 3 && offset === 0 ? textBeside(node, true) : undefined;
  return before ? [before, before.length] : [node, offset];
}

/** A place where Chromium puts the beginning of selected text: between two texts, the beginning of the second. */
export function downstream([node, offset]: Place): Place {
  const after = node.nodeType === 3 && offset === (node as Text).length ? textBeside(node, false) : undefined;
  return after ? [after, 0] : [node, offset];
}

/** Selects from one place to another as Chromium does by the mouse. */
export function selectBetween(selection: Selection, from: Place, to: Place): void {
  if (from[0].getRootNode() !== to[0].getRootNode()) return selection.setBaseAndExtent(...from, ...to);
  const range = from[0].ownerDocument!.createRange();
  range.setStart(...from);
  const backward = range.comparePoint(...to) < 0;
  const same = from[0] === to[0] && from[1] === to[1];
  const [a, b] = same
    ? [upstream(from), upstream(to)]
    : backward
      ? [upstream(from), downstream(to)]
      : [downstream(from), upstream(to)];
  selection.setBaseAndExtent(...a, ...b);
}

/** The texts around a text that are in its block, in order. */
export function textsAround(text: Text): Text[] {
  const list = [text];
  for (let at = textBeside(text, true); at; at = textBeside(at, true)) list.unshift(at);
  for (let at = textBeside(text, false); at; at = textBeside(at, false)) list.push(at);
  return list;
}

/** The word, or what is between two words, at an offset of a text: from where, and to where. At the end it is the last. */
export function wordAt(text: string, offset: number): [from: number, to: number] {
  const segments = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text);
  const found = segments.containing(Math.min(offset, Math.max(text.length - 1, 0)));
  return found ? [found.index, found.index + found.segment.length] : [offset, offset];
}
