// Page.captureScreenshot, drawn by a bundle that is loaded when it is first
// asked for.

import type { Json } from "../protocol";
import { load } from "./lazy";
import { originals } from "./originals";
import { ProtocolError, register } from "./registry";
import { onSessionEnd, type Session } from "./session";

type Shot = typeof import("../shot/index");

/** What Emulation.setDefaultBackgroundColorOverride has set, as CSS; the latest session's counts. */
const backgrounds = new Map<Session, string>();

onSessionEnd((s) => backgrounds.delete(s));

function setBackground(p: Json, s: Session): void {
  backgrounds.delete(s);
  const { r, g, b, a = 1 } = p.color ?? {};
  if (p.color) backgrounds.set(s, `rgba(${r}, ${g}, ${b}, ${a})`);
}

async function capture(p: Json): Promise<Json> {
  const shot = await load<Shot>("shot.js");
  try {
    return await shot.capture(p, originals, [...backgrounds.values()].pop());
  } catch (e) {
    const { message, code } = e as { message: string; code?: number };
    throw new ProtocolError(code ? message : `Unable to capture screenshot: ${message}`, code);
  }
}

register("Page", { captureScreenshot: capture });
register("Emulation", { setDefaultBackgroundColorOverride: setBackground });
