// The style sheets of the Target's documents, with their texts and positions.

import type { Protocol } from "../../cdp";
import { CommandError, agent } from "../agent";
import { Lines, type SourceRule, type Span, parseSheet } from "./source";

/** A rule of CSSOM with its part of the text. */
export interface Rule {
  css: CSSRule;
  source: SourceRule;
  rules: Rule[];
  parent?: Rule;
  sheet: Sheet;
}

type Grouping = CSSRule & { cssRules?: CSSRuleList };

/** The name of a kind of rule, for CSSOM and text: CSSFontFaceRule is "font-face". */
function kindOf(rule: CSSRule): string {
  const name = Object.getPrototypeOf(rule)?.constructor?.name ?? "";
  const words = name.replace(/^(CSS|WebKitCSS)/, "").replace(/Rule$/, "");
  return words
    .replace(/^Layer(Block|Statement)$/, "Layer")
    .replace(/(?!^)([A-Z])/g, "-$1")
    .toLowerCase();
}

const probe = document.createDocumentFragment();

/** Whether the browser accepts a selector. CSSOM has no rules with other selectors. */
export function valid(selector: string): boolean {
  try {
    probe.querySelector(selector);
    return true;
  } catch {
    return false;
  }
}

/** The rules of a list and all inside them, in the order of the text. */
export function withInner(rules: Rule[]): Rule[] {
  return rules.flatMap((r) => [r, ...withInner(r.rules)]);
}

/** Pairs the rules of a list in CSSOM with their text. Undefined if the text does not fit. */
function pair(list: CSSRuleList, sources: SourceRule[], sheet: Sheet, parent?: Rule): Rule[] | undefined {
  const css = Array.from(list).filter((r) => kindOf(r) !== "nested-declarations");
  const paired: Rule[] = [];
  for (const source of sources) {
    const next = css[paired.length];
    if (!next) {
      if (source.name === "style" && valid(sheet.slice(source.prelude))) return undefined;
      continue;
    }
    const kind = kindOf(next);
    const isFrame = kind === "keyframe" && source.name === "style";
    if (!isFrame && kind !== source.name) continue;
    if (kind === "style" && !valid(sheet.slice(source.prelude))) continue;
    const rule: Rule = { css: next, source, rules: [], parent, sheet };
    const inside = (next as Grouping).cssRules;
    const rules = inside && source.block ? pair(inside, source.rules, sheet, rule) : [];
    if (!rules) return undefined;
    rule.rules = rules;
    paired.push(rule);
  }
  return paired.length === css.length ? paired : undefined;
}

function count(list: CSSRuleList): number {
  let n = list.length;
  for (const r of list as Iterable<Grouping>) if (r.cssRules) n += count(r.cssRules);
  return n;
}

let counter = 0;

/** One style sheet as Clients know it. */
export class Sheet {
  readonly id = `style-sheet-${agent.base()}-${++counter}`;
  text = "";
  rules: Rule[] = [];
  lines = new Lines("");
  /** Whether the text was made from CSSOM, because the sheet's own text is not known or does not fit any more. */
  generated = false;
  private original = "";
  private seen = -1;

  constructor(
    readonly css: CSSStyleSheet,
    readonly doc: Document,
    readonly root: Document | ShadowRoot,
    readonly viaInspector = false,
  ) {}

  slice(s: Span): string {
    return this.text.slice(s.start, s.end);
  }

  /** The rules, or undefined where page script may not read them. */
  list(): CSSRuleList | undefined {
    try {
      return this.css.cssRules;
    } catch {
      return undefined;
    }
  }

  private get owner(): Element | undefined {
    return (this.css.ownerNode ?? undefined) as Element | undefined;
  }

  get isInline(): boolean {
    return this.owner !== undefined && !this.css.href;
  }

  /** Reads the sheet where it has changed; true if it has. */
  async read(): Promise<boolean> {
    const list = this.list();
    const n = list ? count(list) : 0;
    const inline = this.isInline ? (this.owner?.textContent ?? "") : this.original;
    if (n === this.seen && inline === this.original) return false;
    const first = this.seen < 0;
    this.seen = n;
    if (this.isInline) this.original = inline;
    else if (first && this.css.href) this.original = await textOf(this.css.href);
    this.take(this.original);
    return true;
  }

  /** Takes a text as the sheet's own, if its rules are those of CSSOM. */
  private take(text: string): void {
    const list = this.list();
    this.set(text);
    const rules = list && pair(list, parseSheet(text), this);
    this.generated = list !== undefined && !rules;
    if (rules || !list) this.rules = rules ?? [];
    else {
      this.set(Array.from(list, (r) => r.cssText).join("\n"));
      this.rules = pair(list, parseSheet(this.text), this) ?? [];
    }
  }

  private set(text: string): void {
    this.text = text;
    this.lines = new Lines(text);
  }

  /** Sets a text that a Client has given the sheet. CSSOM has its rules already. */
  edited(text: string): void {
    this.take(text);
    const list = this.list();
    this.seen = list ? count(list) : 0;
  }

  header(): Protocol.CSS.CSSStyleSheetHeader {
    const { owner, css } = this;
    const end = this.lines.at(this.text.length);
    const isConstructed = !owner && !css.ownerRule && !this.viaInspector;
    const map = /\/\*# sourceMappingURL=(\S+)\s*\*\/\s*$/.exec(this.text)?.[1];
    return {
      styleSheetId: this.id,
      frameId: agent.frameOfDocument(this.doc)?.id ?? "",
      sourceURL: css.href ?? (this.isInline ? this.doc.URL : ""),
      ...(map && { sourceMapURL: map }),
      origin: this.viaInspector ? "inspector" : "regular",
      title: css.title ?? "",
      ...(owner && { ownerNode: agent.idOfNode(owner) }),
      disabled: css.disabled,
      hasSourceURL: false,
      isInline: this.isInline,
      // The position of a style element in its document is unknown to script.
      isMutable: this.isInline || isConstructed || this.viaInspector,
      isConstructed,
      startLine: 0,
      startColumn: 0,
      length: this.text.length,
      endLine: end.line,
      endColumn: end.column,
    };
  }
}

async function textOf(url: string): Promise<string> {
  try {
    const r = await agent.fetchKept(url);
    return r.ok ? await r.text() : "";
  } catch {
    return "";
  }
}

// ------------------------------------------------------------- all of them

const sheets = new Map<CSSStyleSheet, Sheet>();
const shadows = new Set<ShadowRoot>();

/** Adds the sheets of a shadow root. */
export function knowRoot(root: Node): void {
  if (root.nodeType === Node.DOCUMENT_FRAGMENT_NODE && "host" in root) shadows.add(root as ShadowRoot);
}

function imported(css: CSSStyleSheet): CSSStyleSheet[] {
  try {
    return Array.from(css.cssRules).flatMap((r) => {
      const inner = (r as CSSImportRule).styleSheet;
      return inner ? [inner, ...imported(inner)] : [];
    });
  } catch {
    return [];
  }
}

/** The sheets of a document or shadow root in the order in which they apply. */
function inForce(root: Document | ShadowRoot): CSSStyleSheet[] {
  const own = [...Array.from(root.styleSheets), ...(root.adoptedStyleSheets ?? [])];
  return own.flatMap((css) => [...imported(css), css]);
}

let latest: Promise<void> = Promise.resolve();

/** Finds new and removed sheets, reads changed ones, and tells the sessions. */
export function sync(): Promise<void> {
  return (latest = latest.then(look, look));
}

async function look(): Promise<void> {
  const now = new Set<CSSStyleSheet>();
  const roots: (Document | ShadowRoot)[] = [...shadows].filter((r) => r.isConnected);
  for (const f of agent.allFrames()) if (f.win) roots.unshift(f.win.document);
  for (const root of roots) {
    const doc = root.nodeType === Node.DOCUMENT_NODE ? (root as Document) : (root.ownerDocument as Document);
    for (const css of inForce(root)) {
      now.add(css);
      const known = sheets.get(css) ?? new Sheet(css, doc, root);
      const changed = await known.read();
      if (!sheets.has(css)) {
        sheets.set(css, known);
        agent.emit("CSS", "CSS.styleSheetAdded", { header: known.header() });
      } else if (changed) agent.emit("CSS", "CSS.styleSheetChanged", { styleSheetId: known.id });
    }
  }
  for (const [css, known] of sheets) {
    if (now.has(css) || known.viaInspector) continue;
    sheets.delete(css);
    agent.emit("CSS", "CSS.styleSheetRemoved", { styleSheetId: known.id });
  }
}

/** The known sheets that apply in a document or shadow root, in order. */
export function sheetsOf(root: Document | ShadowRoot): Sheet[] {
  return inForce(root).flatMap((css) => (css.disabled ? [] : (sheets.get(css) ?? [])));
}

export function allSheets(): Sheet[] {
  return [...sheets.values()];
}

export function sheetOf(id: string): Sheet {
  const found = allSheets().find((s) => s.id === id);
  if (!found) throw new CommandError("No style sheet with given id found");
  return found;
}

/** Adds a sheet for the rules that a Client makes. */
export function addSheet(doc: Document): Sheet {
  const win = doc.defaultView as Window & typeof globalThis;
  const css = new win.CSSStyleSheet();
  doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, css];
  const sheet = new Sheet(css, doc, doc, true);
  sheets.set(css, sheet);
  agent.emit("CSS", "CSS.styleSheetAdded", { header: sheet.header() });
  return sheet;
}
