// The text of the worker agent, worker.js. agent.js fetches it when page script starts a worker from a blob: or data:
// URL. agent.mjs contains it.

import { bundleUrl } from "../base/bundles";
import { originals } from "../base/originals";

const NAME = "worker.js";
let text: string | undefined;
let address: string | undefined;

/** Sets the text, in bundles that contain it. */
export function setAgentText(own: string): void {
  text = own;
}

/**
 * Returns the text without waiting, because the worker is about to start. Throws if the page's policy forbids the
 * request, or nothing serves the text.
 */
export function agentText(): string {
  return (text ??= load(bundleUrl(NAME)));
}

function load(url: string): string {
  const request = new originals.XMLHttpRequest();
  originals.xhrOpen.call(request, "GET", url, false);
  originals.xhrSend.call(request);
  if (request.status !== 200) throw new Error(`${url}: ${request.status}`);
  return request.responseText;
}

/** The URL of the text, for workers that start workers themselves. */
export function agentUrl(): string {
  if (text === undefined) return bundleUrl(NAME);
  return (address ??= URL.createObjectURL(new Blob([text], { type: "text/plain" })));
}
