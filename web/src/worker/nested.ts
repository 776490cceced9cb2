// Workers that the worker's script starts. The proxy puts an agent into those of its own origin.

import { type FromWorker, WORKER_NAME, type WorkerHello } from "../wire/worker";
import { wantsNow } from "./requests";

let serial = 0;

/** Wraps Worker; `post` carries messages, and the port of a worker, to the agent of the page. */
export function installNested(post: (m: FromWorker, port?: MessagePort) => void): void {
  if (!window.Worker) return; // not in every browser's workers
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
      const url = resolve(args[0]);
      if (!/^https?:/.test(url) || new URL(url).origin !== window.origin)
        return Reflect.construct(target, args, newTarget);
      const wants = wantsNow();
      const options = { ...args[1], name: WORKER_NAME + wants + (args[1]?.name ?? "") };
      const worker: Worker = Reflect.construct(target, [args[0], options], newTarget);
      const key = ++serial;
      keys.set(worker, key);
      const hear = (e: MessageEvent): void => {
        const m = e.data as WorkerHello | null;
        if (m?.icdp !== "worker" || !e.ports[0]) return;
        e.stopImmediatePropagation();
        worker.removeEventListener("message", hear);
        post({ worker: "nested", key, url, wants }, e.ports[0]);
      };
      worker.addEventListener("message", hear);
      return worker;
    },
  });
}

/** The absolute address; "" for what is none, and what the browser is to say so of. */
function resolve(url: string | URL): string {
  try {
    return new URL(String(url), location.href).href;
  } catch {
    return "";
  }
}
