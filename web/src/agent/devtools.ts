// Domains that DevTools use and that Clients do not need to drive a page. They are in devtools.js, which is loaded at
// the first such command.

import type { Json } from "../wire/cdp";
import { isBundle, load, withClientErrors } from "./base/bundles";
import { base, originals } from "./base/originals";
import { carryOut, ready } from "./base/parts";
import { type Handler, handlerOf, lookElsewhere, notFound } from "./base/registry";
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

type DevTools = typeof import("../devtools/index");

/** What the part dom.js adds. */
interface OfDom {
  boxModel: typeof boxModel;
  pushNode: typeof pushNode;
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

/** The functions of the agent that the bundle uses. */
export type Lent = typeof own & OfDom;

let lent: Lent;

/** Adds the functions of dom.js. */
export function lendDevTools(more: OfDom): void {
  lent = { ...own, ...more };
}

/** Domains that must be enabled again in each document. */
const DOMAINS = ["CSS", "Overlay", "DOMStorage", "IndexedDB", "Debugger", "ServiceWorker"];

/** The methods in the bundle. A handler of the agent itself has precedence. */
const BUNDLED =
  /^(CSS|Overlay|DOMStorage|IndexedDB|CacheStorage|Debugger|ServiceWorker|Autofill)\.|^DOM\.getTop|^DOMDebugger\.setBreakOn|^Page\.(setAd|getResource|searchIn|getInst|getApp)|^Storage\.(getUsage|clearData|(un)?track(In|Ca))/;

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
      const handler = tools.handler(method, lent);
      if (!handler) throw notFound(method);
      return handler(p, s);
    });

lookElsewhere((method) => (BUNDLED.test(method) ? inBundle(method) : undefined));

/** Enables the domains again in a new document, for the sessions that had enabled them. */
export function resumeDevTools(): void {
  for (const s of allSessions())
    for (const domain of DOMAINS)
      if (s.enabled.has(domain)) void Promise.resolve(handlerOf(`${domain}.enable`)?.({}, s)).catch(() => {});
}
