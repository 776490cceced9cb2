// The Emulation domain, as far as the agent carries it out: the focus. Viewport and colour scheme are emulated by the
// Host.

import type { Protocol } from "../../cdp";
import { register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";

const focused = new Set<Session>();
const nativeHasFocus = document.hasFocus.bind(document);
const descriptor = (name: string): PropertyDescriptor =>
  Object.getOwnPropertyDescriptor(Document.prototype, name) ?? {};
const hidden = descriptor("hidden");
const visibility = descriptor("visibilityState");

/** Makes the document appear focused and visible while a session asks for it. */
function setFocusEmulation(p: Protocol.Emulation.SetFocusEmulationEnabledRequest, s: Session): void {
  if (p.enabled) focused.add(s);
  else focused.delete(s);
  install();
}

let installed = false;
function install(): void {
  if (installed) return;
  installed = true;
  document.hasFocus = (): boolean => focused.size > 0 || nativeHasFocus();
  const override = (name: string, value: unknown, native: PropertyDescriptor): void => {
    Object.defineProperty(document, name, {
      configurable: true,
      get: () => (focused.size > 0 ? value : native.get?.call(document)),
    });
  };
  override("hidden", false, hidden);
  override("visibilityState", "visible", visibility);
}

onSessionEnd((s) => focused.delete(s));

register("Emulation", {
  setFocusEmulationEnabled: setFocusEmulation,
});
