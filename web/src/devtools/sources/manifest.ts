// Page.getAppManifest.

import type { Protocol } from "../../cdp";
import { agent } from "../agent";

/** The text of the manifest that the document names, without what a browser makes of it. */
export async function appManifest(): Promise<Protocol.Page.GetAppManifestResponse> {
  type Answer = Protocol.Page.GetAppManifestResponse; // which wants the experimental member, too
  const link = document.querySelector<HTMLLinkElement>("link[rel~=manifest]");
  const url = link?.href ?? "";
  if (!url) return { url, errors: [] } as unknown as Answer; // as Chromium 156
  const credentials = link?.crossOrigin === "use-credentials" ? "include" : "omit";
  try {
    const r = await agent.fetchKept(url, { credentials });
    if (!r.ok) throw new Error(`status ${r.status}`);
    return { url, errors: [], data: await r.text() } as unknown as Answer;
  } catch (e) {
    const message = `Manifest fetch from ${url} failed: ${e instanceof Error ? e.message : e}`;
    return { url, errors: [{ message, critical: 1, line: 0, column: 0 }] } as unknown as Answer;
  }
}
