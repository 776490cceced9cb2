// Downloads. The browser saves the file for its user. Clients get events, and the hub gets the content, to write it
// for Clients that have named a folder.

import type { Download } from "../../wire/frame";
import { DOWNLOAD, say } from "../../wire/messages";
import { type Frame, type Win, frameOfDocument } from "./frames";
import type { NavigateEvent } from "./navigationapi";
import { hexId, originals } from "../base/originals";
import { base64 } from "../network/payload";
import { MAX_BYTES, bytesAt } from "../network/bodies";
import { logWarning } from "../network/log";
import { emit } from "../base/session";
import { uplink } from "../link/uplink";

let takesFiles = false;

/** Notes whether the Host takes files as such. */
export function sendFiles(takes = false): void {
  takesFiles = takes;
}

/** Watches a window for clicks on links that download, where there is the Navigation API. */
export function installDownloads(win: Win): void {
  const { navigation } = win as unknown as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    const name = e.downloadRequest;
    if (name === null) return;
    const { url } = e.destination;
    // Read now: script may revoke the URL at once.
    const made = url.startsWith("blob:") ? bytesAt(url, "default") : undefined;
    originals.queueMicrotask(() => {
      const frame = frameOfDocument(win.document);
      if (!e.defaultPrevented && frame) void tellDownload(frame, url, name, made ?? bytesAt(url, "default"));
    });
  });
}

/** Reports a download. If its content cannot be read, Clients are told that it was canceled. */
export async function tellDownload(
  frame: Frame,
  url: string,
  name: string,
  content?: Promise<Uint8Array | undefined>,
): Promise<void> {
  const asFile = takesFiles;
  const guid = hexId(32);
  const suggestedFilename = name || new URL(url).pathname.split("/").pop() || "download";
  const begun = { frameId: frame.id, guid, url, suggestedFilename };
  emit("Page", "Page.downloadWillBegin", begun);
  if (asFile) uplink.send(originals.stringify({ icdp: "download", ...begun } satisfies Download));
  else tellBrowser("Browser.downloadWillBegin", begun);
  const bytes = await content;
  const whole = bytes !== undefined && bytes.length <= MAX_BYTES;
  const size = whole ? bytes.length : 0;
  const ended = { guid, totalBytes: size, receivedBytes: size, state: whole ? "completed" : "canceled" } as const;
  emit("Page", "Page.downloadProgress", ended);
  if (asFile) uplink.send({ icdp: "downloaded", guid, ...(whole && { content: bytes.buffer as ArrayBuffer }) });
  else
    tellBrowser("Browser.downloadProgress", { ...ended, ...(whole && { suggestedFilename, contents: base64(bytes) }) });
  if (!whole) logWarning(say(DOWNLOAD, { url }), url);
}

/** Sends a browser-level event to a Host of version 1. The hub passes it on to Clients that have asked for such events. */
function tellBrowser(method: string, params: object): void {
  uplink.send(originals.stringify({ method, params }));
}
