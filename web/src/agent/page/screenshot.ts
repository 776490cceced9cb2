// Page.captureScreenshot and startScreencast, drawn by a bundle that is loaded when
// it is first asked for.

import type { Protocol } from "../../cdp";
import { load, withClientErrors } from "../base/bundles";
import { fetchKept } from "../network/bodies";
import { frameOfOwner } from "./frames";
import { navigationUnderWay } from "./navigation";
import { originals } from "../base/originals";
import { register } from "../base/registry";
import { onSessionEnd, type Session } from "../base/session";

type Shot = typeof import("../../shot/index");

/** What Emulation.setDefaultBackgroundColorOverride has set, as CSS; the latest session's counts. */
const backgrounds = new Map<Session, string>();

/** Sessions with a screencast, and the bundle that draws it; undefined while it loads. */
const casts = new Map<Session, Shot | undefined>();

onSessionEnd((s) => {
  backgrounds.delete(s);
  stop(s);
});

const stop = (s: Session): void => {
  casts.get(s)?.stopCast(s);
  casts.delete(s);
};

const start = (p: Protocol.Page.StartScreencastRequest, s: Session): Promise<void> =>
  withClientErrors(async () => {
    casts.set(s, undefined);
    const shot = await load<Shot>("shot.js", "Page.startScreencast");
    if (!casts.has(s)) return; // stopped meanwhile
    casts.set(s, shot);
    shot.screencast(s, p, natives(s), background);
  });

const background = (): string | undefined => [...backgrounds.values()].pop();
const natives = (s: Session): Parameters<Shot["capture"]>[1] => ({
  ...originals,
  fetch: fetchKept,
  getComputedStyle: (el, pseudo) => window.getComputedStyle(el, pseudo),
  // The document of another origin is drawn by its own agent.
  frame: (owner) => frameOfOwner(owner)?.agent?.call("Page.captureScreenshot", {}, s.id),
});

function setBackground(p: Protocol.Emulation.SetDefaultBackgroundColorOverrideRequest, s: Session): void {
  backgrounds.delete(s);
  const { r, g, b, a = 1 } = p.color ?? {};
  if (p.color) backgrounds.set(s, `rgba(${r}, ${g}, ${b}, ${a})`);
}

const capture = (
  p: Protocol.Page.CaptureScreenshotRequest,
  s: Session,
): Promise<Protocol.Page.CaptureScreenshotResponse> =>
  withClientErrors(async () => {
    const shot = await load<Shot>("shot.js", "Page.captureScreenshot");
    const draw = (): ReturnType<typeof capture> => shot.capture(p, natives(s), background());
    for (let n = 0; ; n++) {
      try {
        return await draw();
      } catch (e) {
        // A document that is about to be unloaded loads no images any more. The command is retried, and reaches the
        // next document if this one is gone.
        if (!navigationUnderWay() || n === MOST_TRIES) throw e;
        await new Promise<void>((r) => originals.setTimeout(r, PAUSE_MS));
      }
    }
  });

const MOST_TRIES = 50;
const PAUSE_MS = 100;

register("Page", {
  captureScreenshot: capture,
  startScreencast: start,
  stopScreencast: (_, s) => stop(s),
  screencastFrameAck: (p, s) => casts.get(s)?.acknowledge(s, p.sessionId),
});
register("Emulation", { setDefaultBackgroundColorOverride: setBackground });
