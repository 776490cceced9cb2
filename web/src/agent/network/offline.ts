// What script learns of the network while a client has taken it away: the proxy fails the requests.

import { allFrames } from "../page/frames";
import { isOffline } from "./upstream";

type Win = Window & typeof globalThis;

let told = false;

/** Lets navigator.onLine of a window say so. */
export function installOnline(win: Win): void {
  const { prototype } = win.Navigator;
  const own = Object.getOwnPropertyDescriptor(prototype, "onLine");
  const get = own?.get;
  if (!get) return;
  Object.defineProperty(prototype, "onLine", {
    ...own,
    get(this: Navigator): boolean {
      return get.call(this) && !isOffline();
    },
  });
}

/** Tells the windows of the document when the network goes or comes. */
export function tellOnline(): void {
  const offline = isOffline();
  if (offline === told) return;
  told = offline;
  for (const { win } of allFrames()) win?.dispatchEvent(new Event(offline ? "offline" : "online"));
}
