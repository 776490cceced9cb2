// Downloads. The browser around the frame saves the file, where clients do not get it:
// they are told so.

import { DOWNLOAD, say } from "../../wire/messages";
import { type Frame, type Win, frameOfDocument } from "./frames";
import type { NavigateEvent } from "./navigation";
import { hexId, originals } from "../base/originals";
import { logWarning } from "../network/log";
import { emit } from "../base/session";

/** Watches a window for clicks on links that download, where there is the Navigation API. */
export function installDownloads(win: Win): void {
  const { navigation } = win as unknown as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    const name = e.downloadRequest;
    if (name === null) return;
    originals.queueMicrotask(() => {
      const frame = frameOfDocument(win.document);
      if (!e.defaultPrevented && frame) tellDownload(frame, e.destination.url, name);
    });
  });
}

/** Tells of a download, and that clients do not get the file. */
export function tellDownload(frame: Frame, url: string, name: string): void {
  const guid = hexId(32);
  const suggestedFilename = name || new URL(url).pathname.split("/").pop() || "download";
  emit("Page", "Page.downloadWillBegin", { frameId: frame.id, guid, url, suggestedFilename });
  emit("Page", "Page.downloadProgress", { guid, totalBytes: 0, receivedBytes: 0, state: "canceled" });
  logWarning(say(DOWNLOAD, { url }), url);
}
