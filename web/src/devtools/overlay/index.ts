// The Overlay domain: nodes that a Client highlights, and nodes that a person picks.

import type { Protocol } from "../../cdp";
import { CommandError, type Handlers, type Session, agent, impossible } from "../agent";
import { type Area, clear, paint, rgba } from "./box";

type Config = Protocol.Overlay.HighlightConfig;

/** The four boxes of a node; undefined where it is not drawn. */
function modelOf(node: Node): Protocol.DOM.BoxModel | undefined {
  try {
    return agent.boxModel({ nodeId: agent.idOfNode(node) }).model;
  } catch {
    return undefined;
  }
}

function labelOf(node: Node, m: Protocol.DOM.BoxModel): string {
  if (node.nodeType !== Node.ELEMENT_NODE) return `#text ${m.width} × ${m.height}`;
  const el = node as Element;
  const id = el.id && `#${el.id}`;
  const classes = [...el.classList].map((c) => `.${c}`).join("");
  return `${el.localName}${id}${classes} ${m.width} × ${m.height}`;
}

/** Paints the boxes of a node in a Client's colours. */
function highlight(node: Node, c: Config): void {
  const m = modelOf(node);
  if (!m) return clear();
  const areas: Area[] = [
    { outer: m.margin, inner: m.border, fill: rgba(c.marginColor) },
    { outer: m.border, inner: m.padding, fill: rgba(c.borderColor) },
    { outer: m.padding, inner: m.content, fill: rgba(c.paddingColor) },
    { outer: m.content, fill: rgba(c.contentColor) },
  ];
  paint(areas, c.showInfo ? labelOf(node, m) : "");
}

function highlightNode(p: Protocol.Overlay.HighlightNodeRequest): void {
  const node = agent.nodeOfParams(p);
  const list =
    p.selector && "querySelectorAll" in node ? [...(node as ParentNode).querySelectorAll(p.selector)] : [node];
  if (list.length <= 1) return list[0] ? highlight(list[0], p.highlightConfig) : clear();
  paint(
    list.flatMap((n) => {
      const m = modelOf(n);
      return m ? [{ outer: m.border, fill: rgba(p.highlightConfig.contentColor) }] : [];
    }),
  );
}

function highlightQuad(outer: number[], p: { color?: Protocol.DOM.RGBA; outlineColor?: Protocol.DOM.RGBA }): void {
  paint([{ outer, fill: rgba(p.color), line: rgba(p.outlineColor) }]);
}

// ------------------------------------------------------------------- picking

let picking: { session: Session; config: Config } | undefined;
const SWALLOWED =
  "pointerdown pointerup mousedown mouseup click auxclick dblclick contextmenu touchstart touchend".split(" ");

const pointed = (e: Event): Node | undefined =>
  e.composedPath().find((n) => (n as Node).nodeType === Node.ELEMENT_NODE) as Node;

function moved(e: Event): void {
  const node = pointed(e);
  if (!picking || !node) return;
  highlight(node, picking.config);
  picking.session.emit("Overlay.nodeHighlightRequested", { nodeId: agent.pushNode(node, picking.session) });
}

function swallowed(e: Event): void {
  e.preventDefault();
  e.stopImmediatePropagation();
  const node = pointed(e);
  if (e.type !== "click" || !picking || !node) return;
  const { session } = picking;
  stopPicking();
  clear();
  session.emit("Overlay.inspectNodeRequested", { backendNodeId: agent.idOfNode(node) });
}

function escaped(e: Event): void {
  if ((e as KeyboardEvent).key !== "Escape" || !picking) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  const { session } = picking;
  stopPicking();
  clear();
  session.emit("Overlay.inspectModeCanceled", undefined as never);
}

function listen(on: boolean): void {
  for (const { win } of agent.allFrames()) {
    if (!win) continue;
    const change = (on ? win.addEventListener : win.removeEventListener).bind(win);
    for (const type of SWALLOWED) change(type, swallowed, { capture: true, passive: false });
    change("mousemove", moved, { capture: true });
    change("keydown", escaped, { capture: true });
  }
}

function stopPicking(): void {
  if (picking) listen(false);
  picking = undefined;
}

function setInspectMode(p: Protocol.Overlay.SetInspectModeRequest, session: Session): void {
  stopPicking();
  switch (p.mode) {
    case "none":
      return clear();
    case "searchForNode":
    case "searchForUAShadowDOM":
      picking = { session, config: p.highlightConfig ?? {} };
      return listen(true);
    case "captureAreaScreenshot":
      throw impossible("Overlay.setInspectMode", `the mode ${p.mode} is not there`);
    default:
      throw new CommandError("Invalid parameters", -32602);
  }
}

const shows = (p: object): unknown => "show" in p && p.show;
const lists = (p: object): boolean => Object.values(p).some((v) => Array.isArray(v) && v.length > 0);

/** Whether params ask for what only the browser's compositor can paint. */
export const asks = {
  "Overlay.setPausedInDebuggerMessage": (p: Protocol.Overlay.SetPausedInDebuggerMessageRequest) => p.message,
  "Overlay.setShowAdHighlights": shows,
  "Overlay.setShowDebugBorders": shows,
  "Overlay.setShowFPSCounter": shows,
  "Overlay.setShowPaintRects": (p: Protocol.Overlay.SetShowPaintRectsRequest) => p.result,
  "Overlay.setShowLayoutShiftRegions": (p: Protocol.Overlay.SetShowLayoutShiftRegionsRequest) => p.result,
  "Overlay.setShowScrollBottleneckRects": shows,
  "Overlay.setShowHitTestBorders": shows,
  "Overlay.setShowWebVitals": shows,
  "Overlay.setShowHinge": (p: Protocol.Overlay.SetShowHingeRequest) => p.hingeConfig,
  "Overlay.setShowGridOverlays": lists,
  "Overlay.setShowFlexOverlays": lists,
  "Overlay.setShowScrollSnapOverlays": lists,
  "Overlay.setShowContainerQueryOverlays": lists,
  "Overlay.setShowIsolatedElements": lists,
};

export const overlay: Handlers<"Overlay"> = {
  enable: () => {},
  disable: (_p, s) => {
    if (picking?.session === s) stopPicking();
    clear();
  },
  highlightNode,
  highlightRect: (p) => {
    const { x, y, width, height } = p;
    highlightQuad([x, y, x + width, y, x + width, y + height, x, y + height], p);
  },
  highlightQuad: (p) => highlightQuad(p.quad, p),
  highlightFrame: (p) => {
    const owner = agent.allFrames().find((f) => f.id === p.frameId)?.owner;
    if (owner) highlight(owner, { contentColor: p.contentColor });
    else clear();
  },
  hideHighlight: clear,
  setInspectMode,
};

/** Ends picking for a session. */
export function forget(s: Session): void {
  if (picking?.session !== s) return;
  stopPicking();
  clear();
}
