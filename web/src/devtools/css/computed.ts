// Computed styles that Clients watch.

import type { Protocol } from "../../cdp";
import { CommandError, type Session, agent } from "../agent";

interface Watch {
  properties: Protocol.CSS.CSSComputedStyleProperty[];
  seen: WeakMap<Element, string>;
  changed: Set<Element>;
  /** The command that waits for a change. */
  waiting?: (answer: Protocol.CSS.TakeComputedStyleUpdatesResponse) => void;
}

const watches = new Map<Session, Watch>();
const nodes = new Map<Session, Element>();
let observer: MutationObserver | undefined;
const dirty = new Set<Element>();

/** Which of the watched properties have the watched value. */
function stateOf(el: Element, w: Watch): string {
  const style = agent.styleOf(el);
  return w.properties.map((p) => (style.getPropertyValue(p.name) === p.value ? "1" : "0")).join("");
}

/** CSS.trackComputedStyleUpdates. */
export function track(p: Protocol.CSS.TrackComputedStyleUpdatesRequest, s: Session): void {
  watches.get(s)?.waiting?.({ nodeIds: [] });
  watches.delete(s);
  if (!p.propertiesToTrack?.length) return observe();
  const w: Watch = { properties: p.propertiesToTrack, seen: new WeakMap(), changed: new Set() };
  watches.set(s, w);
  for (const el of document.querySelectorAll("*")) w.seen.set(el, stateOf(el, w));
  observe();
}

/** CSS.takeComputedStyleUpdates: answered as soon as there is an update. */
export function take(s: Session): Promise<Protocol.CSS.TakeComputedStyleUpdatesResponse> {
  const w = watches.get(s);
  if (!w) throw new CommandError("No computed styles are being tracked right now.");
  if (w.waiting) throw new CommandError("A previous request has not been resolved yet.");
  return new Promise((resolve) => {
    w.waiting = resolve;
    flush(w);
  });
}

/** CSS.trackComputedStyleUpdatesForNode. */
export function trackNode(p: Protocol.CSS.TrackComputedStyleUpdatesForNodeRequest, s: Session): void {
  nodes.delete(s);
  if (p.nodeId) nodes.set(s, agent.elementOfParams({ nodeId: p.nodeId }));
  observe();
}

/** Ends the watch of a session. */
export function forget(s: Session): void {
  watches.get(s)?.waiting?.({ nodeIds: [] });
  watches.delete(s);
  nodes.delete(s);
  observe();
}

function flush(w: Watch): void {
  if (!w.waiting || !w.changed.size) return;
  const nodeIds = [...w.changed].map(agent.idOfNode);
  w.changed.clear();
  w.waiting({ nodeIds });
  w.waiting = undefined;
}

function observe(): void {
  if (!watches.size && !nodes.size) {
    observer?.disconnect();
    observer = undefined;
  } else if (!observer) {
    observer = new MutationObserver(note);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  }
}

const MOST = 2000;

function note(records: MutationRecord[]): void {
  if (!dirty.size) agent.originals.setTimeout(look, 100);
  for (const r of records) {
    if (r.target.nodeType !== Node.ELEMENT_NODE) continue;
    dirty.add(r.target as Element);
    if (dirty.size > MOST) continue;
    for (const below of (r.target as Element).querySelectorAll("*")) if (dirty.size <= MOST) dirty.add(below);
  }
}

function look(): void {
  const elements = [...dirty].filter((el) => el.isConnected);
  dirty.clear();
  for (const w of watches.values()) {
    for (const el of elements) {
      const now = stateOf(el, w);
      const before = w.seen.get(el);
      w.seen.set(el, now);
      if (before !== undefined && before !== now) w.changed.add(el);
    }
    flush(w);
  }
  if (!elements.length) return;
  for (const [s, el] of nodes) s.emit("CSS.computedStyleUpdated", { nodeId: agent.idOfNode(el) });
}
