// The ServiceWorker domain, as far as the page's own API goes: which registrations
// this origin has, and ending them.

import type { Protocol } from "../../cdp";
import { CommandError, type Handlers, agent, watchWhileEnabled } from "../agent";

const STATUS: Record<string, Protocol.ServiceWorker.ServiceWorkerVersionStatus> = {
  parsed: "new",
  installing: "installing",
  installed: "installed",
  activating: "activating",
  activated: "activated",
  redundant: "redundant",
};

let told = "";

const all = async (): Promise<readonly ServiceWorkerRegistration[]> =>
  (await navigator.serviceWorker?.getRegistrations()) ?? []; // only secure contexts have it

async function look(): Promise<void> {
  const list = await all();
  const registrations = list.map(({ scope }) => ({ registrationId: scope, scopeURL: scope, isDeleted: false }));
  const versions = list.flatMap((r) =>
    [r.installing, r.waiting, r.active].flatMap((w) => (w ? [version(r.scope, w)] : [])),
  );
  const now = agent.originals.stringify([registrations, versions]);
  if (now === told) return;
  told = now;
  agent.emit("ServiceWorker", "ServiceWorker.workerRegistrationUpdated", { registrations });
  agent.emit("ServiceWorker", "ServiceWorker.workerVersionUpdated", { versions });
}

/**
 * Script cannot know whether the browser has started the worker. One that is not installed yet counts as running.
 */
function version(registrationId: string, w: ServiceWorker): Protocol.ServiceWorker.ServiceWorkerVersion {
  return {
    versionId: `${registrationId} ${w.scriptURL} ${STATUS[w.state]}`,
    registrationId,
    scriptURL: w.scriptURL,
    runningStatus: w.state === "installing" || w.state === "activating" ? "running" : "stopped",
    status: STATUS[w.state] ?? "new",
  };
}

const watch = watchWhileEnabled("ServiceWorker", 1000, look);

export const serviceWorker: Handlers<"ServiceWorker"> = {
  enable: async (_p, s) => {
    s.enabled.add("ServiceWorker");
    told = "";
    await look();
    watch();
  },
  disable: () => {},
  unregister: async (p) => {
    const found = (await all()).find((r) => r.scope === p.scopeURL);
    if (!found) throw new CommandError("No service worker has that scope");
    await found.unregister();
    await look();
  },
};
