// Domains that DevTools use and that Clients do not need to drive a page. They are in devtools.js, which is loaded at
// the first such command.

import { DEVTOOLS } from "../methods";
import type { Json } from "../wire/cdp";
import { type Added, added } from "./base/added";
import { isBundle, load, withClientErrors } from "./base/bundles";
import { base, originals } from "./base/originals";
import { carryOut, ready } from "./base/parts";
import { type Handler, handlerOf, notFound, provide } from "./base/registry";
import { allSessions, emit, onSessionEnd } from "./base/session";
import type { boxModel } from "./dom/boxes";
import type { pushNode } from "./dom/dom";
import { styleOf } from "./dom/geometry";
import { elementOfParams, idOfNode, nodeOfParams } from "./dom/nodes";
import { fetchKept } from "./network/bodies";
import { allFrames, describeFrame, frameOfDocument, mainFrame } from "./page/frames";
import { tree } from "./page/page";
import { mainContext } from "./runtime/contexts";
import { wrap } from "./runtime/objects";

declare module "./base/added" {
  interface Added {
    boxModel: typeof boxModel;
    pushNode: typeof pushNode;
  }
}

const own = {
  allFrames,
  allSessions,
  base: () => base,
  call: carryOut,
  describeFrame,
  elementOfParams,
  emit,
  fetchKept,
  frameOfDocument,
  idOfNode,
  isBundle,
  mainContext,
  mainFrame,
  nodeOfParams,
  onSessionEnd,
  originals,
  styleOf,
  wrap,
};

/** The functions of the agent that the bundle uses, with those of dom.js. */
export type Lent = typeof own & Pick<Added, "boxModel" | "pushNode">;

/** What the bundle exports. */
export interface DevTools {
  /** The handler of a method, undefined if there is none. */
  handler(method: string, lent: Lent): Handler | undefined;
}

/** Domains that must be enabled again in each document. */
const DOMAINS = ["CSS", "Overlay", "DOMStorage", "IndexedDB", "Debugger", "ServiceWorker"];

/** Answers in pages whose policy forbids the bundle: Clients that only drive a page send these commands, too. */
const fallbacks: Record<string, () => Json | void> = {
  "CSS.enable": () => {},
  "DOMStorage.enable": () => {},
  "Page.getResourceTree": () => ({ frameTree: { ...tree(mainFrame()), resources: [] } }),
};

const inBundle =
  (method: string): Handler =>
  (p, s) =>
    withClientErrors(async () => {
      let tools: DevTools;
      try {
        [tools] = await Promise.all([load<DevTools>("devtools.js", method), ready("DOM.enable")]);
      } catch (e) {
        if (fallbacks[method]) return fallbacks[method]();
        throw e;
      }
      const handler = tools.handler(method, { ...added, ...own } as Lent);
      if (!handler) throw notFound(method);
      return handler(p, s);
    });

provide(DEVTOOLS, inBundle);

/** Enables the domains again in a new document, for the sessions that had enabled them. */
export function resumeDevTools(): void {
  for (const s of allSessions())
    for (const domain of DOMAINS)
      if (s.enabled.has(domain)) void Promise.resolve(handlerOf(`${domain}.enable`)?.({}, s)).catch(() => {});
}
