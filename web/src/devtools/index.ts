// Domains that DevTools use and that Clients do not need to drive a page. A bundle of its own, because few Clients
// use it.

import type { Handler } from "../agent/base/registry";
import type { DevTools } from "../agent/devtools";
import { methodsIn } from "../agent/base/table";
import type { Method, Params } from "../cdp";
import { DEVTOOLS_INERT, type Handled } from "../methods";
import type { Json } from "../wire/cdp";
import { CommandError, type Handlers, agent, impossible, lend, reasonOf } from "./agent";
import { css } from "./css/index";
import { forget as forgetStyles } from "./css/computed";
import { asks as overlayAsks, forget as forgetPicking, overlay } from "./overlay/index";
import { debuggerDomain } from "./sources/debugger";
import { appManifest } from "./sources/manifest";
import { resourceContent, resourceTree, searchInResource } from "./sources/resources";
import { cacheStorage } from "./storage/caches";
import { domStorage } from "./storage/domstorage";
import { indexedDb } from "./storage/indexeddb";
import { serviceWorker } from "./storage/serviceworkers";
import { forget as forgetStorage, storage } from "./storage/index";

const dom: Handlers<"DOM"> = {
  getTopLayerElements: (_p, s) => {
    const all = agent.allFrames().flatMap(({ win }) => [...(win?.document.querySelectorAll(TOP_LAYER) ?? [])]);
    return { nodeIds: all.map((el) => agent.pushNode(el, s)) };
  },
};

const TOP_LAYER = ["dialog:modal", ":popover-open", ":fullscreen"].filter((s) => CSS.supports(`selector(${s})`)).join();

const page: Handlers<"Page"> = {
  getResourceTree: resourceTree,
  getResourceContent: resourceContent,
  searchInResource,
  // The error of Chromium 156 for a document that is not the top one.
  getInstallabilityErrors: () => ({ installabilityErrors: [{ errorId: "not-in-main-frame", errorArguments: [] }] }),
  getAppManifest: appManifest,
};

type DomainOf<M> = M extends `${infer D}.${string}` ? D : never;

const domains: { [D in DomainOf<Handled["devtools.js"]>]: object } = {
  CSS: css,
  Overlay: overlay,
  DOMStorage: domStorage,
  IndexedDB: indexedDb,
  CacheStorage: cacheStorage,
  Storage: storage,
  Debugger: debuggerDomain,
  DOM: dom,
  Page: page,
  ServiceWorker: serviceWorker,
};

/** Whether params ask for what page script cannot do. Methods that are refused and have no row are always refused. */
const asks: { [M in Method]?: (p: Params<M>) => unknown } = {
  "Autofill.setAddresses": (p) => p.addresses?.length,
  "CSS.forcePseudoState": (p) => p.forcedPseudoClasses?.length,
  "CSS.getPlatformFontsForNode": () => false, // its handler looks for the font
  "DOMDebugger.setBreakOnCSPViolation": (p) => p.violationTypes?.length,
  "Debugger.setAsyncCallStackDepth": (p) => p.maxDepth > 0,
  "Debugger.setPauseOnExceptions": (p) => p.state !== "none",
  "Page.setAdBlockingEnabled": (p) => p.enabled,
  ...overlayAsks,
};

const inert = new Set(methodsIn(DEVTOOLS_INERT));
let begun = false;

export const handler: DevTools["handler"] = (method, lent) => {
  lend(lent);
  if (!begun) {
    begun = true;
    for (const forget of [forgetStyles, forgetPicking, forgetStorage]) lent.onSessionEnd(forget);
  }
  const [domain, name] = method.split(".");
  const methods = (domains as Record<string, Record<string, Handler>>)[domain];
  const found = methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
  const asked = (asks as Record<string, (p: Json) => unknown>)[method];
  const reason = reasonOf(method);
  if (!found && !reason && !inert.has(method)) return undefined;
  return async (p, s) => {
    if (reason && (!asked || asked(p))) throw impossible(method);
    try {
      return await found?.(p, s);
    } catch (e) {
      // The code of a DOMException is no error code of the protocol.
      throw e instanceof DOMException ? new CommandError(e.message) : e;
    }
  };
};
