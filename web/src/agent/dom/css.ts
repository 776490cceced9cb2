// The CSS domain without style sheets and rules. Those are in ../devtools.ts.

import type { Protocol } from "../../cdp";
import { styleOf } from "../../flattree";
import { elementOfParams } from "./nodes";
import { register } from "../base/registry";

function computedStyle(p: Protocol.CSS.GetComputedStyleForNodeRequest): Protocol.CSS.GetComputedStyleForNodeResponse {
  const style = styleOf(elementOfParams({ nodeId: p.nodeId }, "Node does not have computed style"));
  return {
    computedStyle: Array.from(style, (name) => ({ name, value: style.getPropertyValue(name) })),
  } as Protocol.CSS.GetComputedStyleForNodeResponse; // without the experimental extraFields
}

register("CSS", { getComputedStyleForNode: computedStyle });
