// Workers that the worker's script starts. They get the agent as those of a page do.

import { parseUrl } from "../host/addresses";
import { awaitAgent, optionsFor, watchBlobs, withAgent } from "../agent/workers/script";
import type { FromWorker } from "../wire/worker";
import { wantsNow } from "./requests";

let serial = 0;

/**
 * Wraps Worker. `post` sends messages, and the port of a worker, to the agent of the page. `agentUrl` has the text of
 * the agent; if `proxied`, a proxy adds the agent to the scripts that it serves.
 */
export function installNested(
  proxied: boolean,
  agentUrl: string,
  post: (m: FromWorker, port?: MessagePort) => void,
): void {
  if (!window.Worker) return; // not in every browser's workers
  watchBlobs(window);
  let text: string | undefined;
  const keys = new WeakMap<Worker, number>();
  const Native = window.Worker;
  const { terminate } = Native.prototype;
  Native.prototype.terminate = function (this: Worker): void {
    const key = keys.get(this);
    if (key !== undefined) post({ worker: "nestedends", key });
    terminate.call(this);
  };
  window.Worker = new Proxy(Native, {
    construct(target, args: [string | URL, WorkerOptions?], newTarget) {
      const url = parseUrl(args[0], location.href)?.href ?? ""; // the browser reports an invalid one itself
      const changed = withAgent(url, () => (text ??= textAt(agentUrl)));
      if (changed === undefined && !(proxied && /^https?:/.test(url)))
        return Reflect.construct(target, args, newTarget);
      const wants = wantsNow();
      const options = optionsFor(args[1], wants, proxied, agentUrl);
      const worker: Worker = Reflect.construct(target, [changed ?? args[0], options], newTarget);
      const key = ++serial;
      keys.set(worker, key);
      awaitAgent(worker, changed, (port) => post({ worker: "nested", key, url, wants }, port));
      return worker;
    },
  });
}

/** The text at a URL; throws if it cannot be loaded. */
function textAt(address: string): string {
  const xhr = new XMLHttpRequest();
  xhr.open("GET", address, false);
  xhr.send();
  if (xhr.status !== 200) throw new Error(`${address}: ${xhr.status}`);
  return xhr.responseText;
}
