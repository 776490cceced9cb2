// Page.captureScreenshot, drawn by a bundle that is loaded when it is first
// asked for.

import type { Protocol } from "../../cdp";
import { load, withClientErrors } from "../base/bundles";
import { fetchKept } from "../network/bodies";
import { navigationUnderWay } from "./navigation";
import { originals } from "../base/originals";
import { register } from "../base/registry";
import { onSessionEnd, type Session } from "../base/session";

type Shot = typeof import("../../shot/index");

/** What Emulation.setDefaultBackgroundColorOverride has set, as CSS; the latest session's counts. */
const backgrounds = new Map<Session, string>();

onSessionEnd((s) => backgrounds.delete(s));

function setBackground(p: Protocol.Emulation.SetDefaultBackgroundColorOverrideRequest, s: Session): void {
  backgrounds.delete(s);
  const { r, g, b, a = 1 } = p.color ?? {};
  if (p.color) backgrounds.set(s, `rgba(${r}, ${g}, ${b}, ${a})`);
}

const capture = (p: Protocol.Page.CaptureScreenshotRequest): Promise<Protocol.Page.CaptureScreenshotResponse> =>
  withClientErrors(async () => {
    const shot = await load<Shot>("shot.js", "Page.captureScreenshot");
    const draw = (): ReturnType<typeof capture> =>
      shot.capture(p, { ...originals, fetch: fetchKept }, [...backgrounds.values()].pop());
    for (let n = 0; ; n++) {
      try {
        return await draw();
      } catch (e) {
        // A document that is about to go loads no images any more. When it is gone, the next one is asked.
        if (!navigationUnderWay() || n === MOST_TRIES) throw e;
        await new Promise<void>((r) => originals.setTimeout(r, PAUSE_MS));
      }
    }
  });

const MOST_TRIES = 50;
const PAUSE_MS = 100;

register("Page", { captureScreenshot: capture });
register("Emulation", { setDefaultBackgroundColorOverride: setBackground });
