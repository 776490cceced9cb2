// Routes commands to the agents of child frames of other origins, and converts
// coordinates between their viewports and this one.

import type { Protocol } from "../../cdp";
import type { Answer, Json } from "../../wire/cdp";
import { frameOfOwner } from "../page/frames";
import { type Place, inside, locationPoint, placeInTarget, placeOf, placed, reveal, within } from "../dom/geometry";
import { changed } from "../input/change";
import { focused } from "../input/focus";
import { type Spot, spotAt } from "../input/point";
import { Nested, agents, framesIn } from "./nested";
import { added } from "../base/added";
import { base, slotOf } from "../base/originals";

export type Point = { x: number; y: number };

declare module "../base/added" {
  interface Added {
    /** Forwards Input commands. */
    routeInput: typeof forward;
  }
}

/** Passes a command to the agent that it is for. Undefined when that is this agent. */
export function forward(method: string, p: Json, sessionId: string): Promise<Answer> | undefined {
  const all = agents();
  if (all.length === 0) return undefined;
  // A command can change the focus, so the frame that has it is noted before.
  updateKeyTarget();
  if (method.startsWith("Input.")) return added.routeInput?.(method, p, sessionId);
  if (method === "DOM.getNodeForLocation") {
    const at = locationPoint(p as Point);
    const n = agentAt(spotAt(at.x, at.y));
    return n?.call(method, { ...p, ...inViewportOfAgent(n, at) }, sessionId);
  }
  const n = namedBy(all, method, p);
  if (!n) return undefined;
  const answer = n.call(method, p, sessionId);
  if (method === "DOM.getContentQuads" || method === "DOM.getBoxModel") return answer.then((a) => inThisViewport(n, a));
  if (method === "DOM.scrollIntoViewIfNeeded")
    return answer.then((a) =>
      a.error ? a : revealInThisViewport(n, p as Protocol.DOM.ScrollIntoViewIfNeededRequest, a, sessionId),
    );
  return answer;
}

// ---------------------------------------------------------------- by name

/** The params by which commands name something of a document. */
interface Names {
  objectId?: string;
  promiseObjectId?: string;
  errorObjectId?: string;
  prototypeObjectId?: string;
  backendNodeId?: number;
  nodeId?: number;
  backendNodeIds?: number[];
  id?: string;
  contextId?: number;
  executionContextId?: number;
  uniqueContextId?: string;
  frameId?: string;
  requestId?: string;
  styleSheetId?: string;
  scriptId?: string;
  edits?: { styleSheetId: string }[];
  storageId?: Partial<Protocol.DOMStorage.StorageId>;
}

/** The agent whose frame, context, object, node or request the params name. */
function namedBy(all: Nested[], method: string, p: Names): Nested | undefined {
  const withBase = (test: (b: number) => boolean): Nested | undefined => all.find((n) => n.bases.some(test));
  const object = p.objectId ?? p.promiseObjectId ?? p.errorObjectId ?? p.prototypeObjectId;
  if (object !== undefined) return withBase((b) => b === parseInt(object, 10));
  const node =
    p.backendNodeId ?? p.nodeId ?? p.backendNodeIds?.[0] ?? (method.startsWith("Accessibility.") ? p.id : undefined);
  if (node !== undefined) return withBase((b) => b !== base && slotOf(b) === Math.floor(Number(node) / 1_000_000));
  const sheet = /\d+/.exec(p.styleSheetId ?? p.edits?.[0]?.styleSheetId ?? p.scriptId ?? "");
  if (sheet)
    return withBase(
      (b) => b === Number(sheet[0]) || (b !== base && slotOf(b) === Math.floor(Number(sheet[0]) / 1_000_000)),
    );
  const context = p.contextId ?? p.executionContextId ?? (p.uniqueContextId && parseInt(p.uniqueContextId, 10));
  if (context !== undefined) return withBase((b) => b === Math.floor((context as number) / 1000));
  if (p.frameId !== undefined) {
    // The iframe element is in this document, and only its document may navigate the frame.
    const here = method === "DOM.getFrameOwner" || method === "Page.navigate";
    return all.find((n) => framesIn(n.tree).includes(p.frameId as string) && !(here && n.frame.id === p.frameId));
  }
  if (p.requestId !== undefined) {
    const minted = /(?:^|\D)(\d+)\.\d+$/.exec(p.requestId)?.[1];
    return minted
      ? withBase((b) => b === Number(minted))
      : all.find((n) => loadersIn(n.tree).includes(p.requestId as string));
  }
  const origin = p.storageId?.securityOrigin ?? p.storageId?.storageKey;
  return origin && origin !== location.origin ? all.find((n) => n.origin === origin) : undefined;
}

function loadersIn(tree: Protocol.Page.FrameTree): string[] {
  return [tree.frame.loaderId, ...(tree.childFrames ?? []).flatMap(loadersIn)];
}

// --------------------------------------------------------------- by place

/** The agent of the frame at a point. */
export function agentAt(spot: Spot | undefined): Nested | undefined {
  const agent = spot && frameOfOwner(spot.el)?.agent;
  return agent instanceof Nested ? agent : undefined;
}

/** Where an agent's viewport is in this one. */
function placeOfAgent({ frame: { owner } }: Nested): Place {
  return owner ? inside(placeInTarget(owner.ownerDocument), placeOf(owner)) : { x: 0, y: 0, sx: 1, sy: 1 };
}

/** Converts a point of this agent's viewport to the viewport of an agent below. */
export const inViewportOfAgent = (n: Nested, p: Point): Point => within(placeOfAgent(n), p.x, p.y);

/** Converts the quads of an answer to this agent's viewport. */
function inThisViewport(n: Nested, answer: Answer): Answer {
  const place = placed.bind(null, placeOfAgent(n));
  const { quads, model } = (answer.result ?? {}) as Partial<
    Protocol.DOM.GetContentQuadsResponse & Protocol.DOM.GetBoxModelResponse
  >;
  if (quads) (answer.result as Json).quads = quads.map(place);
  if (model) for (const name of ["content", "padding", "border", "margin"] as const) model[name] = place(model[name]);
  return answer;
}

/** Scrolls the frame into view as well, to the node that its agent has revealed. */
async function revealInThisViewport(
  n: Nested,
  p: Protocol.DOM.ScrollIntoViewIfNeededRequest,
  answer: Answer,
  sessionId: string,
): Promise<Answer> {
  const { result } = (await n.call("DOM.getBoxModel", { ...p, rect: undefined }, sessionId)) as {
    result?: Protocol.DOM.GetBoxModelResponse;
  };
  const { owner } = n.frame;
  if (!result || !owner) return answer;
  const [left, top] = result.model.border;
  const outer = owner.getBoundingClientRect();
  const { x, y, sx, sy } = placeOf(owner);
  const part = p.rect ?? { x: 0, y: 0, width: result.model.width, height: result.model.height };
  reveal(owner, {
    x: x - outer.left + (left + part.x) * sx,
    y: y - outer.top + (top + part.y) * sy,
    width: part.width * sx,
    height: part.height * sy,
  });
  return answer;
}

// ------------------------------------------------------------------ input

/**
 * The frame that gets key events, and the element that had the focus here when the frame took it.
 * document.activeElement becomes the frame's element only some time after an element inside the frame got the focus.
 */
let keyOwner: { to: Nested; instead: Element } | undefined;

/** An element in a child frame got the focus: key events go to the frame. */
export function giveKeysTo(to: Nested): void {
  const instead = focused();
  changed(instead);
  keyOwner = { to, instead };
}

/** Notes and returns the agent whose document has the focus, unless something here has taken it since. */
export function updateKeyTarget(): Nested | undefined {
  const now = focused();
  const agent = frameOfOwner(now)?.agent;
  if (agent instanceof Nested) {
    keyOwner = { to: agent, instead: now };
    return agent;
  }
  if (keyOwner && ((now !== keyOwner.instead && now !== document.body) || keyOwner.to.frame.agent !== keyOwner.to))
    keyOwner = undefined;
  return keyOwner?.to;
}

/** The mouse was pressed in this document: key events go here again. */
export function takeKeys(): void {
  keyOwner = undefined;
}
