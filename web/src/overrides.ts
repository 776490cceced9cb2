// Network.setUserAgentOverride, Emulation.setGeolocationOverride and
// Emulation.setTouchEmulationEnabled, as far as page script can carry them out: a
// document's scripts see the overridden values. Permissions and media queries stay
// the browser's, and request headers where there is no proxy.

import type { Protocol } from "./cdp";

/** One override of a method with params P: a script puts properties of its own onto an object of the window. */
interface Override<P> {
  /** Where the properties go: a path below navigator. */
  path: "" | "geolocation";
  keys: string[];
  /** The properties' values, as a script's source; undefined where nothing is overridden. */
  values(p: P): string | undefined;
}

/** The overrides by their method. */
export const overrides: Record<string, Override<never>> = {
  "Network.setUserAgentOverride": {
    path: "",
    keys: ["userAgent", "appVersion", "language", "languages", "platform"],
    values: ({ userAgent, acceptLanguage, platform }: Protocol.Network.SetUserAgentOverrideRequest) => {
      const languages =
        acceptLanguage &&
        String(acceptLanguage)
          .split(",")
          .map((l) => l.split(";")[0].trim());
      return JSON.stringify({
        ...(userAgent && { userAgent, appVersion: String(userAgent).replace(/^Mozilla\//, "") }),
        ...(languages && { language: languages[0], languages }),
        ...(platform && { platform }),
      });
    },
  },
  "Emulation.setTouchEmulationEnabled": {
    path: "",
    keys: ["maxTouchPoints"],
    values: ({ enabled, maxTouchPoints = 1 }: Protocol.Emulation.SetTouchEmulationEnabledRequest) =>
      JSON.stringify(enabled ? { maxTouchPoints: Number(maxTouchPoints) } : {}),
  },
  "Emulation.setGeolocationOverride": {
    path: "geolocation",
    keys: ["getCurrentPosition", "watchPosition", "clearWatch"],
    values: (p: Protocol.Emulation.SetGeolocationOverrideRequest) => `(${geolocation})(${JSON.stringify(p)})`,
  },
};

/** The methods that end an override, and the method whose override they end. */
export const clearing: Record<string, string> = {
  "Emulation.clearGeolocationOverride": "Emulation.setGeolocationOverride",
};

/** The name under which a session's script is kept. */
export function overrideId(method: string, sessionId: string): string {
  return `${method}.${sessionId}`;
}

/** The script of an override; without params, a script that ends it. */
export function overrideScript(method: string, p?: object): string {
  const { path, keys, values } = overrides[method];
  return (
    `((o,v)=>{for(const k of ${JSON.stringify(keys)})` +
    `if(o&&k in v)Object.defineProperty(o,k,{configurable:true,get:()=>v[k]});else if(o)delete o[k]})` +
    `(navigator${path && `.${path}`},${(p && values(p as never)) ?? "{}"})`
  );
}

/**
 * The methods of a Geolocation at a fixed position, or without params, an unavailable one. The source of this
 * function runs in the page. It names globals by globalThis only, because the bundler renames others.
 */
function geolocation(p: Protocol.Emulation.SetGeolocationOverrideRequest): Geolocation {
  const answer = (ok: unknown, fail: unknown): void => {
    if (typeof ok !== "function") throw new globalThis.TypeError("parameter 1 is not a function.");
    if (p.latitude === undefined || p.longitude === undefined) {
      const error = {
        code: 2,
        message: "Position unavailable",
        PERMISSION_DENIED: 1,
        POSITION_UNAVAILABLE: 2,
        TIMEOUT: 3,
      };
      if (typeof fail === "function") setTimeout(() => fail(error));
      return;
    }
    const none = { altitude: null, altitudeAccuracy: null, heading: null, speed: null };
    const coords = { accuracy: 0, ...none, ...p };
    setTimeout(() => ok({ coords, timestamp: globalThis.Date.now() }));
  };
  let watches = 0;
  return {
    getCurrentPosition: (ok: unknown, fail: unknown) => answer(ok, fail),
    watchPosition: (ok: unknown, fail: unknown) => {
      answer(ok, fail);
      return ++watches;
    },
    clearWatch: () => {},
  };
}
