// The CSS domain, as far as page script can answer it.

import type { Protocol } from "../../cdp";
import { styleOf } from "./geometry";
import { elementOfParams } from "./nodes";
import { register } from "../base/registry";

function computedStyle(p: Protocol.CSS.GetComputedStyleForNodeRequest): Protocol.CSS.GetComputedStyleForNodeResponse {
  const style = styleOf(elementOfParams({ nodeId: p.nodeId }, "Node does not have computed style"));
  return {
    computedStyle: Array.from(style, (name) => ({ name, value: style.getPropertyValue(name) })),
  } as Protocol.CSS.GetComputedStyleForNodeResponse; // without the experimental extraFields
}

function inlineStyle(p: Protocol.CSS.GetInlineStylesForNodeRequest): Protocol.CSS.GetInlineStylesForNodeResponse {
  const { style } = elementOfParams({ nodeId: p.nodeId }) as HTMLElement;
  return {
    inlineStyle: {
      cssProperties: Array.from(style, (name) => ({
        name,
        value: style.getPropertyValue(name),
        important: style.getPropertyPriority(name) === "important",
      })),
      shorthandEntries: [],
      cssText: style.cssText,
    },
  };
}

register("CSS", {
  enable: () => {},
  disable: () => {},
  getComputedStyleForNode: computedStyle,
  getInlineStylesForNode: inlineStyle,
});
