// The text of the agent of workers. It lies beside agent.js, which needs it where the page's script starts a
// worker from a blob: or data: address; agent.mjs has it in it.

import { bundleUrl } from "../base/bundles";
import { originals } from "../base/originals";

const NAME = "worker.js";
let text: string | undefined;
let address: string | undefined;

/** Sets the text, where it is at hand. */
export function setAgentText(own: string): void {
  text = own;
}

/** The text, at once: the worker is about to start. Throws where the page's policy forbids it, or nothing serves it. */
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

/** The address at which workers get the text, for workers that they start. */
export function agentUrl(): string {
  if (text === undefined) return bundleUrl(NAME);
  return (address ??= URL.createObjectURL(new Blob([text], { type: "text/plain" })));
}
