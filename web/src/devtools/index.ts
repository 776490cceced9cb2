// Domains that DevTools use and that Clients do not need to drive a page. A bundle of its own, because few Clients
// use it.

import type { Json } from "../wire/cdp";
import { CommandError, type Handlers, type Lent, type Session, agent, impossible, lend } from "./agent";
import { css } from "./css/index";
import { forget as forgetStyles } from "./css/computed";
import { forget as forgetPicking, overlay } from "./overlay/index";
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
  getAppId: () => ({}),
  getAppManifest: appManifest,
  setAdBlockingEnabled: (p) => {
    if (p.enabled) throw impossible("Page.setAdBlockingEnabled", "the network belongs to the browser");
  },
};

const domDebugger: Handlers<"DOMDebugger"> = {
  setBreakOnCSPViolation: (p) => {
    if (p.violationTypes?.length)
      throw impossible("DOMDebugger.setBreakOnCSPViolation", "script cannot stop at a line");
  },
};

/** Only the browser fills forms. Script is not told, and has no addresses for that. */
const autofill: Handlers<"Autofill"> = {
  enable: () => {},
  disable: () => {},
  setAddresses: (p) => {
    if (p.addresses?.length) throw impossible("Autofill.setAddresses", "needs the browser process");
  },
};

const domains: { [domain: string]: object } = {
  CSS: css,
  Overlay: overlay,
  DOMStorage: domStorage,
  IndexedDB: indexedDb,
  CacheStorage: cacheStorage,
  Storage: storage,
  Debugger: debuggerDomain,
  DOM: dom,
  DOMDebugger: domDebugger,
  Autofill: autofill,
  Page: page,
  ServiceWorker: serviceWorker,
};

type Handler = (p: Json, s: Session) => Json | void | Promise<Json | void>;

let begun = false;

/** The handler of a method, undefined if there is none. */
export function handler(method: string, lent: Lent): Handler | undefined {
  lend(lent);
  if (!begun) {
    begun = true;
    for (const forget of [forgetStyles, forgetPicking, forgetStorage]) lent.onSessionEnd(forget);
  }
  const [domain, name] = method.split(".");
  const methods = domains[domain] as Record<string, Handler> | undefined;
  const found = methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
  return (
    found &&
    (async (p, s) => {
      try {
        return await found(p, s);
      } catch (e) {
        // The code of a DOMException is no error code of the protocol.
        throw e instanceof DOMException ? new CommandError(e.message) : e;
      }
    })
  );
}
