// Documents of data: URLs, which come with the agent in them.

import type { SessionState } from "../protocol";

const FORM = /^data:([^,]*?)(;base64)?,([^#]*)/i;
const HTML = /^text\/html\b/i;

/** Whether an address is a data: URL of a document that can have an agent. */
export function isDataDocument(url: string): boolean {
  return HTML.test(FORM.exec(url)?.[1].trim() ?? "");
}

/** The data: URL of the same document with the agent's script tag first, but for a doctype. */
export function dataDocument(url: string, agentUrl: string, state: SessionState[]): string {
  const [, type, base64, data] = FORM.exec(url) as RegExpExecArray;
  const tag = document.createElement("script");
  tag.src = agentUrl;
  Object.assign(tag.dataset, { parents: location.origin, url, ...(state.length && { state: JSON.stringify(state) }) });
  const insert = encodeURIComponent(tag.outerHTML);
  const text = base64 ? escapeBytes(atob(decodeURIComponent(data))) : data;
  const doctype = /^(\s|%20|%0A)*(<|%3C)!doctype[^]*?(>|%3E)/i.exec(text)?.[0] ?? "";
  return `data:${type},${doctype}${insert}${text.slice(doctype.length)}${/#.*$/s.exec(url)?.[0] ?? ""}`;
}

const escapeBytes = (bytes: string): string => bytes.replace(/[^\w]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
