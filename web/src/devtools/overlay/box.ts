// Boxes and a label over the page while a Client highlights a node. They are in a closed shadow root. Its host is in
// the document only while something is painted. Clients do not see the host, and screenshots leave it out.

import type { Protocol } from "../../cdp";

type Colour = Protocol.DOM.RGBA | undefined;

const SVG = "http://www.w3.org/2000/svg";
let host: HTMLElement | undefined;

/** The attribute by which the DOM domain and the rasteriser leave an element out. */
const HIDDEN = "data-cdphub-internal";

function surface(): ShadowRoot {
  clear();
  host = document.createElement("cdphub-devtools");
  host.setAttribute(HIDDEN, "");
  host.setAttribute("aria-hidden", "true");
  const css = { all: "initial", position: "fixed", inset: "0", "pointer-events": "none", "z-index": "2147483647" };
  for (const [name, value] of Object.entries(css)) host.style.setProperty(name, value, "important");
  const root = host.attachShadow({ mode: "closed" });
  document.documentElement.append(host);
  return root;
}

/** Removes what is painted. */
export function clear(): void {
  host?.remove();
  host = undefined;
}

export const rgba = (c: Colour): string => (c ? `rgba(${c.r}, ${c.g}, ${c.b}, ${c.a ?? 1})` : "transparent");

/** An area: within the outer quad, without the inner one. */
export interface Area {
  outer: number[];
  inner?: number[];
  fill: string;
  line?: string;
}

const path = (q: number[]): string => `M${q[0]} ${q[1]}L${q[2]} ${q[3]}L${q[4]} ${q[5]}L${q[6]} ${q[7]}Z`;

/** Paints areas, and a label at the first. Removes what was painted before. */
export function paint(areas: Area[], label = ""): void {
  const root = surface();
  const svg = document.createElementNS(SVG, "svg");
  svg.style.cssText = "position:absolute;inset:0;width:100%;height:100%;overflow:visible";
  for (const a of areas) {
    const p = document.createElementNS(SVG, "path");
    p.setAttribute("d", path(a.outer) + (a.inner ? path(a.inner) : ""));
    p.setAttribute("fill-rule", "evenodd");
    p.setAttribute("fill", a.fill);
    if (a.line) p.setAttribute("stroke", a.line);
    svg.append(p);
  }
  root.append(svg);
  if (label && areas[0]) root.append(tip(label, areas[0].outer));
}

function tip(text: string, at: number[]): HTMLElement {
  const el = document.createElement("div");
  el.textContent = text;
  const left = Math.min(at[0], at[2], at[4], at[6]);
  const top = Math.min(at[1], at[3], at[5], at[7]);
  const bottom = Math.max(at[1], at[3], at[5], at[7]);
  el.style.cssText =
    "position:absolute;padding:2px 6px;background:#fff;color:#202124;border:1px solid #9aa0a6;border-radius:3px;" +
    "font:12px/1.4 sans-serif;white-space:nowrap";
  el.style.left = `${Math.max(0, Math.min(left, innerWidth - 200))}px`;
  el.style.top = `${top >= 26 ? top - 26 : Math.min(bottom + 4, innerHeight - 26)}px`;
  return el;
}
