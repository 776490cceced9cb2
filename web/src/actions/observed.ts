// The interactive elements of the page with selectors and refs that survive a
// new rendering: "@submit", "@e7f3a2".

import type { ObserveArgs, ObservedElement, ObserveResult, Selector as PlainSelector } from "../wire/verbs";
import { roleOf as ariaRole } from "./aria";
import {
  address as addressNow,
  attributeOf,
  join,
  say,
  redact,
  redactText,
  title,
  type Redacted,
  type RedactedIn,
  valueOf,
  word,
} from "./redact";
import { numberAfter, stale } from "./refs";
import { cut, elements, SILENT, squash } from "./tree";
import { boxOf, focusedIn, isDisabled, isHidden } from "./view";

type Selector = RedactedIn<PlainSelector>;
type Observed = RedactedIn<ObservedElement>;

const ROLES = "button link menuitem tab checkbox radio switch textbox combobox listbox slider"
  .split(" ")
  .map((r) => `[role=${r}]`)
  .join();
const CANDIDATES = `a[href],button,input:not([type=hidden]),select,textarea,${ROLES},[contenteditable="true"],[onclick],[tabindex]:not([tabindex="-1"])`;
const MOST = 2000;
const FORGET_MS = 60_000;

interface Known {
  el: WeakRef<Element>;
  seen: number;
  box: string;
}

const registry = new Map<string, Known>();
const refOf = new WeakMap<Element, Redacted>();
/** The numbered refs of elements: "@e1". */
const numbered = new WeakMap<Element, Redacted>();
/** Which element last had a ref, and its role and name then. The element is missing for a ref of another document. */
const owners = new Map<string, { el?: WeakRef<Element>; key: string }>();
let lastNumber = 0;
let address = "";
/** The changeable state of each element in the last observation, by ref. */
let last = new Map<Redacted, string>();

export function observe(o: ObserveArgs): RedactedIn<ObserveResult> {
  refresh(o.refreshRefs === true);
  const body = document.body;
  let found = body
    ? [...elements(body, (e) => SILENT.has(e.localName))].filter((e) => e.matches(CANDIDATES) && isShown(e))
    : [];
  if (o.filterRoles?.length)
    found = found.filter((e) => o.filterRoles!.includes(ownRole(e)) || o.filterRoles!.includes(ariaRole(e)));
  for (const [ref, key] of Object.entries(o.known ?? {})) if (!owners.has(ref)) owners.set(ref, { key });
  const taken = new Set<Redacted>();
  const list = found.slice(0, o.maxElements ?? 100).map((el, i) => describe(el, refFor(el, i, o, taken), o));
  const now = new Map(list.map((e) => [e.ref, `${e.name}|${e.value}|${e.disabled}`]));
  const changes = {
    added: [...now.keys()].filter((r) => !last.has(r)),
    updated: [...now.keys()].filter((r) => last.has(r) && last.get(r) !== now.get(r)),
    removed: [...last.keys()].filter((r) => !now.has(r)),
  };
  last = now;
  return {
    elements: o.minimal ? list.map(minimal) : list,
    total: found.length,
    ...(o.incremental && { changes }),
    url: addressNow(),
    title: title(),
    viewport: { width: innerWidth, height: innerHeight },
  };
}

export function findObserved(ref: string): Element {
  refresh(false);
  const id = ref.startsWith("@") ? ref : `@${ref}`;
  const el = registry.get(id)?.el.deref();
  if (!el?.isConnected) throw stale(ref);
  return el;
}

/** Forgets the refs of another URL, and refs that have not been seen for long. */
function refresh(all: boolean): void {
  const now = performance.now();
  if (all || address !== location.href) {
    registry.clear();
    last = new Map();
    address = location.href;
  }
  for (const [ref, k] of registry) if (now - k.seen > FORGET_MS) registry.delete(ref);
}

function isShown(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  return width > 0 && height > 0 && !isHidden(el);
}

// ---------------------------------------------------------------- refs

/** A ref never comes to mean an element that is another one by its role or name, also not in the next document. */
function refFor(el: Element, i: number, o: ObserveArgs, taken: Set<Redacted>): Redacted {
  const key = `${ownRole(el)}|${nameOf(el)}`;
  const base = o.stableRefs === false ? numberedRef(el) : stableRef(el);
  const own = refOf.get(el);
  const isFree = (ref: Redacted): boolean => !taken.has(ref) && mayName(ref, el, key);
  let ref = own?.startsWith(`${base}_`) ? own : base;
  if (!isFree(ref)) ref = say`${base}_${i + 1}`;
  while (!isFree(ref)) ref = say`${base}_${nextNumber()}`;
  taken.add(ref);
  owners.delete(ref); // moves the ref to the end
  owners.set(ref, { el: new WeakRef(el), key });
  dropOldest(owners);
  return ref;
}

function mayName(ref: Redacted, el: Element, key: string): boolean {
  const owner = owners.get(ref);
  const before = owner?.el?.deref();
  return !owner || before === el || (!before?.isConnected && owner.key === key);
}

function nextNumber(): number {
  return (lastNumber = numberAfter(lastNumber));
}

function numberedRef(el: Element): Redacted {
  let ref = numbered.get(el);
  if (!ref) numbered.set(el, (ref = say`@e${nextNumber()}`));
  return ref;
}

function dropOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    if (map.size <= MOST) break;
    map.delete(oldest);
  }
}

function stableRef(el: Element): Redacted {
  for (const attribute of ["data-testid", "id", "aria-label"]) {
    const name = (attributeOf(el, attribute) ?? "")
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .slice(0, 12);
    if (name) return say`@${name as Redacted}`;
  }
  const parent = el.parentElement;
  const index = parent ? [...parent.children].indexOf(el) : 0;
  return say`@e${hash([ownRole(el), ownName(el), el.localName, parent ? ownRole(parent) : "", index].join("|"))}`;
}

/** The hash must be of redacted text: a short secret can be guessed from its hash. */
function hash(text: string): Redacted {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(h).toString(36).padStart(6, "0").slice(0, 6) as Redacted;
}

function remember(ref: Redacted, el: Element, box: string): { stability: Redacted; previous?: Redacted } {
  const known = registry.get(ref);
  const previous = refOf.get(el);
  const stability =
    !known || (known.el.deref() !== el && known.el.deref()?.isConnected)
      ? word("new")
      : known.box === box
        ? word("stable")
        : word("moved");
  registry.delete(ref); // moves the ref to the end: the oldest come first
  registry.set(ref, { el: new WeakRef(el), seen: performance.now(), box });
  dropOldest(registry);
  refOf.set(el, ref);
  return { stability, previous: previous === ref ? undefined : previous };
}

// ---------------------------------------------------------------- elements

function ownRole(el: Element): Redacted {
  return attributeOf(el, "role") || redact(el.localName);
}

function ownName(el: Element): Redacted {
  return attributeOf(el, "aria-label") || cut(redactText(el, squash(el.textContent ?? "")), 50);
}

/** The name as the caller gets it: without what a field contains. */
function nameOf(el: Element): Redacted {
  if (el.localName !== "textarea" && el.localName !== "select") return ownName(el);
  return attributeOf(el, "aria-label") ?? word("");
}

function describe(el: Element, ref: Redacted, o: ObserveArgs): Observed {
  const box = boxOf(el);
  const { stability, previous } = remember(ref, el, JSON.stringify(box));
  const [selector, ...others] = selectorsOf(el);
  const value = /^(input|textarea|select)$/.test(el.localName) ? valueOf(el) : word("");
  const name = nameOf(el);
  return {
    ref,
    selector,
    role: ownRole(el),
    ...(name && { name }),
    ...(value && { value }),
    actionHints: hintsOf(el),
    ...(o.includeBounds && { bounds: box }),
    tagName: redact(el.localName),
    ...(focusedIn(document) === el && { focused: true }),
    ...(isDisabled(el) && { disabled: true }),
    stability,
    ...(o.includeRefHistory && previous && { previousRef: previous }),
    ...(others.length && { alternativeSelectors: others }),
  };
}

function minimal({ ref, selector, role, name, tagName }: Observed): Observed {
  return { ref, selector, role, ...(name && { name }), tagName, actionHints: [] };
}

/** Selectors of an element, the best first. */
function selectorsOf(el: Element): Selector[] {
  const [testId, label, id, name] = ["data-testid", "aria-label", "id", "name"].map((a) => attributeOf(el, a));
  const text = /^(input|textarea|select)$/.test(el.localName) ? word("") : redactText(el, squash(el.textContent ?? ""));
  const short = text.length >= 1 && text.length <= 49;
  const list: (Selector | false | null | "")[] = [
    testId && { type: word("testId"), value: testId },
    label && { type: word("role"), role: ariaRole(el), name: label },
    short && { type: word("text"), value: text },
    id && { type: word("css"), value: say`#${escaped(id)}` },
    name && { type: word("css"), value: say`[name="${escaped(name)}"]` },
    { type: word("css"), value: pathOf(el) },
  ];
  const all: Selector[] = [];
  for (const s of list) if (s && !all.some((o) => o.type === s.type && o.value === s.value && s.value)) all.push(s);
  const [main] = all;
  const order = ["testId", "role", "id", "text", "css"];
  const rank = (s: Selector): number => order.indexOf(s.value?.startsWith("#") ? "id" : s.type);
  return [
    main,
    ...all
      .slice(1)
      .filter((s) => !s.value?.startsWith("[name="))
      .sort((a, b) => rank(a) - rank(b)),
  ];
}

/** A CSS path that leads to one element of its document or shadow root. */
function pathOf(el: Element): Redacted {
  const steps: Redacted[] = [];
  for (let e: Element | null = el; e && e.localName !== "html"; e = e.parentElement) {
    if (e.id) {
      steps.unshift(say`#${escaped(redact(e.id))}`);
      break;
    }
    const twins: Element[] = [...(e.parentNode?.children ?? [])].filter((c) => c.localName === e!.localName);
    steps.unshift(
      twins.length > 1 ? say`${redact(e.localName)}:nth-of-type(${twins.indexOf(e) + 1})` : redact(e.localName),
    );
  }
  return join(steps, " > ");
}

function escaped(text: Redacted): Redacted {
  return CSS.escape(text) as Redacted;
}

function hintsOf(el: Element): Redacted[] {
  const role = ariaRole(el);
  const type = (el as HTMLInputElement).type;
  const hints: [Redacted, boolean][] = [
    [
      word("clickable"),
      /^(a|button|summary)$/.test(el.localName) ||
        /^(button|link|menuitem|tab|checkbox|radio|switch)$/.test(role) ||
        el.hasAttribute("onclick"),
    ],
    [
      word("editable"),
      (/^(textbox|searchbox|spinbutton|combobox)$/.test(role) && el.localName !== "select") ||
        (el as HTMLElement).isContentEditable,
    ],
    [word("selectable"), el.localName === "select" || role === "listbox" || role === "option"],
    [word("checkable"), /^(checkbox|radio|switch)$/.test(role)],
    [word("expandable"), el.hasAttribute("aria-expanded") || el.localName === "summary"],
    [word("draggable"), (el as HTMLElement).draggable === true && el.localName !== "a" && el.localName !== "img"],
    [
      word("scrollable"),
      el.scrollHeight > el.clientHeight + 1 &&
        /auto|scroll/.test((el.ownerDocument.defaultView ?? window).getComputedStyle(el).overflowY),
    ],
    [
      word("submittable"),
      (type === "submit" || type === "image") &&
        /^(button|input)$/.test(el.localName) &&
        (el as HTMLInputElement).form !== null,
    ],
  ];
  return hints.filter(([, holds]) => holds).map(([word]) => word);
}
