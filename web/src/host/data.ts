// Documents that the Host makes in a frame: blank ones, and those of data:
// URLs. Both are data: URLs with the agent in them: such a document has an
// opaque origin (HTML, "determining the origin"), and has it again after a
// reload and when history leads back to it.

import type { SessionState } from "../wire/frame";
import { isBlank } from "./addresses";

const FORM = /^data:([^,]*?)(;base64)?,([^#]*)/i;
const HTML = /^text\/html\b/i;

/** Whether an address is a data: URL of a document that can have an agent. */
export function isDataDocument(url: string): boolean {
  return HTML.test(FORM.exec(url)?.[1].trim() ?? "");
}

/** Whether the Host makes the document of an address itself. */
export function isMade(url: string): boolean {
  return isBlank(url) || isDataDocument(url);
}

/** Where the agent's script is, and whether that is the hub. */
export interface AgentScript {
  agentUrl: string;
  ofHub: boolean;
}

/**
 * The data: URL of a document that the Host makes. The agent's script tag comes first, after a doctype
 * if there is one.
 */
export function madeDocument(
  url: string,
  { agentUrl, ofHub }: AgentScript,
  key: string,
  state: SessionState[],
): string {
  const blank = isBlank(url);
  const tag = document.createElement("script");
  tag.src = agentUrl;
  // Else browsers report errors as "Script error.". A hub lets every origin read its scripts; other servers may not.
  if (ofHub) tag.crossOrigin = "anonymous";
  // A blank document runs no script before the welcome, which has the state.
  Object.assign(tag.dataset, {
    parents: location.origin,
    url,
    key,
    ...(!blank && state.length && { state: JSON.stringify(state) }),
  });
  const insert = encodeURIComponent(tag.outerHTML);
  const fragment = /#.*$/s.exec(url)?.[0] ?? "";
  if (blank)
    return `data:text/html;charset=utf-8,${encodeURIComponent(`<script>(${becomeBlank})()</script>`)}${insert}${fragment}`;
  const [, type, base64, data] = FORM.exec(url) as RegExpExecArray;
  const text = base64 ? escapeBytes(atob(decodeURIComponent(data))) : data;
  const doctype = /^(\s|%20|%0A)*(<|%3C)!doctype[\s\S]*?(>|%3E)/i.exec(text)?.[0] ?? "";
  return `data:${type},${doctype}${insert}${text.slice(doctype.length)}${fragment}`;
}

const escapeBytes = (bytes: string): string =>
  bytes.replace(/[^\w]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`);

/**
 * Runs in a document that is to be blank, before the agent's tag, which it
 * puts aside: gives the document the address about:blank, by having one at
 * that address open it (HTML, "document open steps"), and then the tag. Where
 * a policy forbids inline script, the agent alone says that it is blank;
 * so it does in a sandboxed iframe, whose documents cannot reach one another.
 * The sandbox of a Launch may still be there: its end and the navigation come
 * to the browser from two processes, in any order. A reload is free of it.
 */
function becomeBlank(): void {
  document.write("<template>");
  addEventListener(
    "load",
    () => {
      const tag = (document.querySelector("template") as HTMLTemplateElement).innerHTML;
      const { hash } = location;
      const inner = document.documentElement.appendChild(document.createElement("iframe")).contentDocument;
      const [{ type }] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
      if (!inner && type !== "reload") return location.reload();
      const script = inner?.createElement("script");
      if (script) {
        script.textContent = "parent.document.open()";
        inner?.documentElement.append(script);
      }
      if (hash) location.hash = hash;
      document.write(tag);
      document.close();
    },
    { once: true },
  );
}
