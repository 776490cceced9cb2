// The Performance domain: those of Chromium's metrics that page script knows.

import type { Protocol } from "../../cdp";
import { allFrames } from "./frames";
import { monotonic } from "../base/originals";
import { register } from "../base/registry";

interface Memory {
  usedJSHeapSize: number;
  totalJSHeapSize: number;
}

/** Times are seconds of the clock that Timestamp reads. */
function metrics(): Protocol.Performance.Metric[] {
  const docs = allFrames().flatMap((f) => f.win?.document ?? []);
  const [timing] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const { memory } = performance as unknown as { memory?: Memory }; // Chromium alone has it
  const start = performance.timeOrigin / 1000;
  const values: Record<string, number | undefined> = {
    Timestamp: monotonic(),
    Documents: docs.length,
    Frames: allFrames().length,
    Nodes: docs.reduce((n, d) => n + 1 + d.evaluate("count(//node())", d).numberValue, 0),
    JSHeapUsedSize: memory?.usedJSHeapSize,
    JSHeapTotalSize: memory?.totalJSHeapSize,
    DomContentLoaded: timing?.domContentLoadedEventStart && start + timing.domContentLoadedEventStart / 1000,
    NavigationStart: start,
  };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : { name, value }));
}

register("Performance", {
  enable: () => {},
  disable: () => {},
  getMetrics: (_p, s) => ({ metrics: s.enabled.has("Performance") ? metrics() : [] }),
});
