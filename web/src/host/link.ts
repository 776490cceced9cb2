// Starts the Core in a Worker made from the Core's own text. If the page's policy (CSP worker-src) or the browser
// allows no such Worker, the Core runs on the main thread.

/// <reference path="./worker-main.d.ts" />
import type { FromCore, ToCore } from "../wire/core";
import main from "worker-main";
import type { Scope } from "./scope";

/** Sends a message to the Core. */
export type Send = (message: ToCore) => void;

/** Starts a Core. `receive` gets its messages. */
export function startCore(receive: (message: FromCore) => void, worker = true): Send {
  let send: Send | undefined;
  const early: ToCore[] = []; // until the Core is up
  const up = (s: Send): void => {
    if (send) return;
    send = s;
    for (const m of early) s(m);
  };
  const onThisThread = (): void => {
    const scope: Scope = {
      onmessage: null,
      postMessage: (m) => (m.do === "up" ? undefined : queueMicrotask(() => receive(m))),
    };
    main(scope);
    up((m) => scope.onmessage?.({ data: m }));
  };

  const w = worker ? newWorker() : undefined;
  if (w) {
    w.onmessage = (event: MessageEvent<FromCore>) => {
      if (event.data.do === "up") up((m) => w.postMessage(m));
      else receive(event.data);
    };
    w.onerror = () => {
      if (!send) onThisThread(); // the policy has blocked the Worker before its first line
    };
  } else {
    onThisThread();
  }
  return (m) => void (send ? send(m) : early.push(m));
}

function newWorker(): Worker | undefined {
  const url = URL.createObjectURL(new Blob([`(${main})(self)`], { type: "text/javascript" }));
  try {
    return new Worker(url);
  } catch {
    return undefined;
  }
}
