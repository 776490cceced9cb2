// The Page domain.

import type { Protocol } from "../../cdp";
import { mayLeave } from "./beforeunload";
import { navigateChild } from "./childnavigation";
import { worldContext } from "../runtime/contexts";
import { type Frame, allFrames, childrenOf, describeFrame, frameOf, mainFrame } from "./frames";
import { setLifecycle } from "./lifecycle";
import { historyEntries, navigate, reload, stop, traverse } from "./navigation";
import { originals } from "../base/originals";
import { ProtocolError, register } from "../base/registry";
import { uplink } from "../link/uplink";
import { addScript, removeScript } from "../runtime/scripts";

function frameOfParams(p: { frameId?: string }): Frame {
  const frame = p.frameId === undefined ? mainFrame() : frameOf(p.frameId);
  if (!frame) throw new ProtocolError("No frame for given id found");
  return frame;
}

/** Page.FrameTree. The subtree of a frame of another origin is reported by its agent. */
export function tree(frame: Frame): Protocol.Page.FrameTree {
  if (frame.agent) return frame.agent.tree;
  const children = childrenOf(frame).map(tree);
  return { frame: describeFrame(frame), ...(children.length > 0 && { childFrames: children }) };
}

function navigateFrame(
  p: Protocol.Page.NavigateRequest,
): Protocol.Page.NavigateResponse | Promise<Protocol.Page.NavigateResponse> {
  const frame = frameOfParams(p);
  if (frame === mainFrame()) return navigate(p);
  return navigateChild(frame, p);
}

function createIsolatedWorld(p: Protocol.Page.CreateIsolatedWorldRequest): Protocol.Page.CreateIsolatedWorldResponse {
  const frame = frameOfParams(p);
  return { executionContextId: worldContext(frame, p.worldName ?? "").id };
}

function setDocumentContent(p: Protocol.Page.SetDocumentContentRequest): void {
  const doc = frameOfParams(p).win?.document;
  if (!doc) throw new ProtocolError("No Document instance to set HTML for");
  (doc as { open(): unknown }).open(); // that of surviveDocumentOpen, which is the document's own
  doc.write(String(p.html));
  doc.close();
}

/**
 * Page.close, of which the Host passes only the question on. Answers before Clients are asked: the page is blocked
 * meanwhile.
 */
function close(): void {
  originals.setTimeout(() => mayLeave(window, true) && uplink.control({ icdp: "close" }), 0);
}

register("Page", {
  close,
  getFrameTree: () => ({ frameTree: tree(mainFrame()) }),
  setLifecycleEventsEnabled: (p, s) => setLifecycle(s, p.enabled === true, allFrames()),
  createIsolatedWorld,
  addScriptToEvaluateOnNewDocument: addScript,
  removeScriptToEvaluateOnNewDocument: removeScript,
  navigate: navigateFrame,
  reload,
  stopLoading: stop,
  getNavigationHistory: historyEntries,
  navigateToHistoryEntry: traverse,
  setDocumentContent,
  handleJavaScriptDialog: () => {
    throw new ProtocolError("No dialog is showing");
  },
  bringToFront: () => window.focus(),
});
