// Page.getLayoutMetrics.

import type { Protocol } from "../../cdp";
import { register } from "../base/registry";

/** The root's sizes, in CSS pixels and in device pixels. */
function layoutMetrics(): Protocol.Page.GetLayoutMetricsResponse {
  const root = document.scrollingElement ?? document.documentElement;
  const scale = window.devicePixelRatio;
  const v = window.visualViewport;
  const layout = {
    pageX: Math.round(scrollX),
    pageY: Math.round(scrollY),
    clientWidth: root.clientWidth,
    clientHeight: root.clientHeight,
  };
  const visual = {
    offsetX: v?.offsetLeft ?? 0,
    offsetY: v?.offsetTop ?? 0,
    pageX: v?.pageLeft ?? scrollX,
    pageY: v?.pageTop ?? scrollY,
    clientWidth: v?.width ?? root.clientWidth,
    clientHeight: v?.height ?? root.clientHeight,
    scale: v?.scale ?? 1,
    zoom: 1,
  };
  const content = { x: 0, y: 0, width: root.scrollWidth, height: root.scrollHeight };
  const device = <T extends Record<string, number>>(o: T): T =>
    Object.fromEntries(Object.entries(o).map(([k, n]) => [k, k === "scale" || k === "zoom" ? n : n * scale])) as T;
  return {
    layoutViewport: device(layout),
    visualViewport: device(visual),
    contentSize: device(content),
    cssLayoutViewport: layout,
    cssVisualViewport: visual,
    cssContentSize: content,
  };
}

register("Page", { getLayoutMetrics: layoutMetrics });
