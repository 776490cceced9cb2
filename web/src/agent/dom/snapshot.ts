// DOMSnapshot, by a bundle that is loaded when it is first asked for.

import { frameOfDocument } from "../page/frames";
import { load, withClientErrors } from "../base/bundles";
import { idOfNode } from "./nodes";
import { register } from "../base/registry";

type Snapshot = typeof import("../../snapshot/index");

const ids = { idOfNode, frameIdOf: (doc: Document): string => frameOfDocument(doc)?.id ?? "" };

register("DOMSnapshot", {
  captureSnapshot: async (p) =>
    withClientErrors(async () => (await load<Snapshot>("snapshot.js", "DOMSnapshot.captureSnapshot")).capture(p, ids)),
});
