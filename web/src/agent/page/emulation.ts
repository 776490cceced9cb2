// The Emulation domain, as far as the agent carries it out. Viewport and colour scheme are emulated by the Host. Here
// are the focus, and commands that ask for no change.

import type { Method, Params, Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";
import { impossible } from "../base/unsupported";

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

/**
 * Commands that only the browser process can carry out. The function says whether the params ask for the default
 * value: then the command succeeds, otherwise it fails.
 */
const neutral: { [M in Method as M extends `Emulation.${infer Name}` ? Name : never]?: (p: Params<M>) => boolean } = {
  setCPUThrottlingRate: (p) => p.rate === 1,
  setEmitTouchEventsForMouse: (p) => !p.enabled,
  setEmulatedMedia: (p) => p.media !== "print", // the Host emulates the media features
  setEmulatedVisionDeficiency: (p) => p.type === "none",
  setHardwareConcurrencyOverride: () => false,
  setIdleOverride: () => false,
  setLocaleOverride: (p) => !p.locale,
  setScriptExecutionDisabled: (p) => !p.value,
  setScrollbarsHidden: (p) => !p.hidden,
  setTimezoneOverride: (p) => !p.timezoneId,
};

for (const name of Object.keys(neutral)) {
  register<string>("Emulation", {
    [name]: (p) => {
      if (!(neutral as Record<string, (p: object) => boolean>)[name](p))
        throw new ProtocolError(impossible(`Emulation.${name}`));
    },
  });
}

register("Emulation", {
  setFocusEmulationEnabled: setFocusEmulation,
  clearIdleOverride: () => {}, // there is never an override
});
