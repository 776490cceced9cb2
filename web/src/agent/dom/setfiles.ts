// DOM.setFileInputFiles.

import type { Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
import { fileInput } from "./files";
import { elementOfParams } from "./nodes";

type Win = Window & typeof globalThis;

/** One file of DOM.setFileInputFiles, as the hub adds them to its params in "contents". */
interface Content {
  /** The name. With slashes it is a path below the chosen directory. */
  name: string;
  mimeType?: string;
  /** Milliseconds since 1970. */
  lastModified?: number;
  base64: string;
}

/**
 * The File objects of an input, kept alive as long as the input. A File made by script has no webkitRelativePath, so
 * it is defined on the object, and would be lost if the object were collected.
 */
const held = new WeakMap<HTMLInputElement, File[]>();

function setFiles(p: Protocol.DOM.SetFileInputFilesRequest & { contents?: Content[] }): void {
  const input = elementOfParams(p, "Node is not a file input element");
  if (!fileInput(input)) throw new ProtocolError("Node is not a file input element");
  const { contents } = p;
  if (!contents && p.files?.length) throw new ProtocolError("File upload by path is disabled on this hub");
  if (!contents?.length) return; // as Chromium 156: an empty list changes nothing
  const win = input.ownerDocument.defaultView ?? window;
  const files = (input.multiple || input.webkitdirectory ? contents : contents.slice(0, 1)).map((c) => fileOf(win, c));
  const transfer = new win.DataTransfer();
  for (const f of files) transfer.items.add(f);
  held.set(input, files);
  input.files = transfer.files;
  input.dispatchEvent(new win.Event("input", { bubbles: true, composed: true }));
  input.dispatchEvent(new win.Event("change", { bubbles: true }));
}

function fileOf(win: Win, c: Content): File {
  const bytes = Uint8Array.from(atob(c.base64), (x) => x.charCodeAt(0));
  const name = c.name.slice(c.name.lastIndexOf("/") + 1);
  const file = new win.File([bytes], name, { type: c.mimeType ?? "", lastModified: c.lastModified });
  if (name !== c.name) Object.defineProperty(file, "webkitRelativePath", { value: c.name });
  return file;
}

register("DOM", { setFileInputFiles: setFiles });
