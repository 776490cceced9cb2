// The page as an ARIA snapshot in YAML, in the notation that Playwright made known:
//
//   - heading "Pricing" [level=1] [ref=e2]
//   - textbox "Email" [ref=e3]:
//     - /placeholder: work email

import { flatChildren } from "../agent/accessibility/boxes";
import { styleOf } from "../flattree";
import type { YAMLArgs, YAMLHole, YAMLResult } from "../wire/verbs";
import { checkedOf, expandedOf, isInvalid, levelOf, nameOf, roleOf, selectedOf, tri } from "./aria";
import { Lines } from "./limit";
import {
  address,
  attributeOf,
  join,
  quoted,
  REDACTED,
  say,
  redact,
  title,
  type Redacted,
  type RedactedIn,
  valueOf,
  word,
} from "./redact";
import { frameName, handles, refsOf } from "./refs";
import { isSecretText } from "./secrets";
import { documentOf, isElement, isText, SILENT, squash } from "./tree";
import { focusedIn, isDisabled } from "./view";

interface Item {
  el: Element;
  role: Redacted;
  name: Redacted;
  /** Is inline, and has only text in it. */
  inline: boolean;
  pointer: boolean;
  hiddenFromAria: boolean;
  props: [Redacted, Redacted][];
  children: (Item | Redacted)[];
}

const LONGEST_NAME = 900;

/** The options of the hub. `above` comes from the hub, so it needs no redaction. */
type YAMLOptions = Pick<YAMLArgs, "refs" | "boxes" | "most"> & { above: Redacted };

/** The snapshot of a subtree, of the body by default. */
export function snapshotYAML(root: Element | undefined, options: YAMLOptions): RedactedIn<YAMLResult> {
  const writer = new Writer(options);
  unread = options.most;
  const body = root ?? document.body ?? document.documentElement;
  const top = merge(read(body, false, false));
  if (root) {
    for (const item of top) writer.write(item, 0, false);
  } else {
    for (const item of withoutBody(top, body)) writer.write(item, 0, false);
  }
  return { text: writer.lines.text(), count: writer.count, title: title(), url: address(), holes: writer.holes };
}

// ---------------------------------------------------------------- reading

/**
 * How many bytes the text may still have, at the least, behind what has been read: elements behind that are not read,
 * since they would be cut off. In their place stands a text, so that those around them are written as if all were there.
 */
let unread = 0;

const REST = "…";

/** Counts what an item adds to the text, at the least. The text of generic ones may become part of another item's. */
function counted(item: Item): Item {
  if (item.role === "generic") return item;
  unread -= item.role.length + 3 + (item.name.length <= LONGEST_NAME ? item.name.length : 0);
  for (const c of item.children) if (typeof c === "string") unread -= c.length;
  return item;
}

/**
 * The items for an element: itself, its children, or none. Texts are redacted later, when neighbouring ones have been
 * joined.
 */
function read(el: Element, hiddenAbove: boolean, pointerAbove: boolean): (Item | string)[] {
  if (SILENT.has(el.localName) || (el as HTMLInputElement).type === "hidden") return [];
  if (unread < 0) return [REST];
  const style = styleOf(el);
  if (style.display === "none") return [];
  if (el.checkVisibility && !el.checkVisibility() && style.display !== "contents" && !/^opt/.test(el.localName))
    return [];
  const role = roleOf(el);
  const hidden = el.getAttribute("aria-hidden") === "true";
  const pointer = style.cursor === "pointer";
  const shown = style.visibility === "visible";
  const children = contentsOf(el, role, shown, hiddenAbove || hidden, pointer);
  const block = style.display === "inline" || style.display === "contents" ? "" : " ";
  if (el.localName === "br") return [" "];
  if (role === "none" || !shown) return [block, ...children, block];
  const item: Item = {
    el,
    role,
    name: role === "generic" ? word("") : nameOf(el, role),
    inline: style.display === "inline",
    pointer: pointer && !pointerAbove,
    hiddenFromAria: hidden && !hiddenAbove,
    props: propsOf(el, role),
    children: merge(children),
  };
  if (role === "generic") return asGeneric(item, block);
  if (item.name && item.children.length === 1 && item.children[0] === item.name) item.children = [];
  if (item.name === item.props.find(([key]) => key === "placeholder")?.[1]) item.props = [];
  return [counted(item)];
}

/** Replaces a generic item without information by its children. */
function asGeneric(item: Item, block: string): (Item | string)[] {
  const [only] = item.children;
  const silent = !item.pointer && !item.hiddenFromAria;
  if (item.children.length === 0 && focusedIn(document) !== item.el) return [block];
  if (item.children.length === 1 && typeof only === "object") return [only];
  if (silent && item.inline && item.children.every((c) => typeof c === "string")) return item.children;
  return [item];
}

function contentsOf(el: Element, role: string, shown: boolean, hidden: boolean, pointer: boolean): (Item | string)[] {
  const inner = documentOf(el);
  if (inner) return inner.body ? withoutBody(read(inner.body, hidden, pointer), inner.body) : [];
  if (role === "iframe") return [];
  if (isSecretText(el) && el.localName !== "select" && el.textContent) return [REDACTED];
  if (
    el.localName === "textarea" ||
    (el.localName === "input" && !/^(checkbox|radio|file)$/.test((el as HTMLInputElement).type))
  )
    return [valueOf(el)];
  if (el.localName === "svg") return [];
  return [
    generated(el, "::before"),
    ...flatChildren(el).flatMap((c) => (isElement(c) ? read(c, hidden, pointer) : isText(c) && shown ? [c.data] : [])),
    generated(el, "::after"),
  ];
}

function withoutBody<T extends string>(items: (Item | T)[], body: Element): (Item | T | Redacted)[] {
  const [only] = items;
  return items.length === 1 && typeof only === "object" && only.el === body && only.role === "generic"
    ? only.children
    : items;
}

function generated(el: Element, which: string): string {
  const { content } = styleOf(el, which);
  return content?.startsWith('"') ? content.slice(1, -1).replace(/\\(["\\])/g, "$1") : "";
}

/** Neighbouring texts as one, white space collapsed. */
function merge(list: (Item | string)[]): (Item | Redacted)[] {
  const out: (Item | Redacted)[] = [];
  let text = "";
  const flush = (): void => {
    const t = squash(redact(text));
    if (t) out.push(t);
    text = "";
  };
  for (const c of list) {
    if (typeof c === "string") text += c;
    else {
      flush();
      out.push(c);
    }
  }
  flush();
  return out;
}

function propsOf(el: Element, role: string): [Redacted, Redacted][] {
  const href = attributeOf(el, "href");
  if (role === "link" && href !== null) return [[word("url"), href]];
  const placeholder = attributeOf(el, "placeholder");
  return placeholder && /^(input|textarea)$/.test(el.localName) ? [[word("placeholder"), squash(placeholder)]] : [];
}

// ---------------------------------------------------------------- writing

class Writer {
  readonly lines: Lines;
  readonly holes: RedactedIn<YAMLHole>[] = [];
  count = 0;

  constructor(private readonly o: YAMLOptions) {
    const [size, unit] = o.most < 1 << 20 ? [o.most >> 10, word("KiB")] : [o.most >> 20, word("MiB")];
    this.lines = new Lines(say`# cut: the snapshot is longer than ${size} ${unit}`, o.most);
  }

  write(item: Item | Redacted, depth: number, pointer: boolean): void {
    if (this.lines.truncated) return;
    const indent = "  ".repeat(depth) as Redacted;
    if (typeof item === "string") {
      const text = squash(item);
      if (text) this.lines.add(say`${indent}- text: ${scalar(text)}`);
      return;
    }
    const head = say`${indent}- ${key(this.head(item))}`;
    const { props, children } = item;
    this.count++;
    if (item.role === "iframe" && !documentOf(item.el)) this.addHole(item.el);
    if (!props.length && !children.length) return void this.lines.add(head);
    if (!props.length && children.length === 1 && typeof children[0] === "string")
      return void this.lines.add(say`${head}: ${scalar(children[0])}`);
    this.lines.add(say`${head}:`);
    for (const [name, value] of props) this.lines.add(say`${indent}  - /${name}: ${scalar(value)}`);
    for (const c of children) this.write(c, depth + 1, pointer || item.pointer);
  }

  private addHole(el: Element): void {
    this.holes.push({
      handle: handles.of(el),
      line: this.lines.count,
      above: say`${this.o.above}${frameName(el)}`,
    });
  }

  private head(item: Item): Redacted {
    const { el, role, name } = item;
    const words = [role];
    if (name && name.length <= LONGEST_NAME) words.push(quoted(name));
    words.push(...this.states(item));
    if (this.o.refs && role !== "option")
      words.push(say`[ref=${refsOf(el.ownerDocument, this.o.above).of(el, `${role}|${name}`)}]`);
    if (this.o.refs && item.pointer) words.push(word("[cursor=pointer]"));
    if (this.o.boxes) words.push(boxOf(el));
    return join(words, " ");
  }

  private states({ el, role, hiddenFromAria }: Item): Redacted[] {
    const checked = role === "option" ? undefined : checkedOf(el, role);
    const pressed = role === "button" ? tri(el, "aria-pressed") : undefined;
    const level = levelOf(el, role);
    const list: [Redacted, boolean | undefined][] = [
      [word("checked=mixed"), checked === "mixed"],
      [word("checked"), checked === true],
      [word("disabled"), isDisabled(el) && role !== "generic"],
      [word("expanded"), expandedOf(el)],
      [word("active"), this.o.refs && focusedIn(document) === el && el !== document.body],
      [word("invalid"), isInvalid(el)],
      [say`level=${level ?? 0}`, level !== undefined],
      [word("pressed=mixed"), pressed === "mixed"],
      [word("pressed"), pressed === true],
      [word("selected"), selectedOf(el)],
      [word("aria-hidden"), hiddenFromAria],
    ];
    return list.filter(([, holds]) => holds).map(([state]) => say`[${state}]`);
  }
}

function boxOf(el: Element): Redacted {
  const r = el.getBoundingClientRect();
  const [x, y, width, height] = [r.x, r.y, r.width, r.height].map(Math.round);
  return say`[box=${x},${y},${width},${height}]`;
}

/** A key of YAML: in single quotes where it would be misread. */
function key(text: Redacted): Redacted {
  return misread(text) ? say`'${text.replace(/'/g, "''") as Redacted}'` : text;
}

/** A value of YAML: in double quotes where it would be misread. */
function scalar(text: Redacted): Redacted {
  return misread(text) ? quoted(text) : text;
}

function misread(text: string): boolean {
  return (
    text === "" ||
    /^\s|\s$/.test(text) ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: YAML reads none of them in a plain text
    /[\u0000-\u001f\u007f-\u009f]/.test(text) ||
    /:(\s|$)/.test(text) ||
    /\s#/.test(text) ||
    /^[-?:,[\]{}#&*!|>'"%@`=]/.test(text) ||
    !Number.isNaN(Number(text)) ||
    /^(y|n|yes|no|true|false|on|off|null|~|\.inf|\.nan)$/i.test(text)
  );
}
