// navigator.onLine and its events, while a Client emulates that the network is offline. The proxy fails the requests.

import { allFrames } from "../page/frames";
import { isOffline } from "./upstream";

type Win = Window & typeof globalThis;

let wasOffline = false;

/** Wraps navigator.onLine of a window. */
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

/** Fires online or offline in all windows when the emulation has changed. */
export function tellOnline(): void {
  const offline = isOffline();
  if (offline === wasOffline) return;
  wasOffline = offline;
  for (const { win } of allFrames()) win?.dispatchEvent(new Event(offline ? "offline" : "online"));
}
