import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { SECONDS, current } from "../model/rates";
import { rate } from "./text";
import { useColours } from "./usecolours";

const HEIGHT = 96;

interface Props {
  title: string;
  values: number[];
  /** The seconds of the newest value and of the first that is known. */
  end: number;
  begin: number;
}

/** A rate of the last minutes. */
export function Plot({ title, values, end, begin }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const colours = useColours();
  const now = current(values);
  useEffect(() => {
    const element = box.current!;
    plot.current = new uPlot(options(element.clientWidth, colours), [[], []], element);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [colours]);
  useEffect(() => {
    // Seconds before now; the newest is not over yet.
    const seconds = values.map((_, i) => i - values.length + 2);
    const known = values.map((n, i) => (end - values.length + 1 + i < begin ? null : n));
    plot.current?.setData([seconds.slice(0, -1), known.slice(0, -1)]);
  }, [values, end, begin, colours]);
  const most = Math.max(...values);
  const label = `${title}: ${rate(now)} now, at most ${rate(most)} in the last ${SECONDS / 60} minutes`;
  return (
    <section class="panel plot">
      <div class="row">
        <h2>{title}</h2>
        <p class="rate">{rate(now)}</p>
      </div>
      <div ref={box} role="img" aria-label={label} />
    </section>
  );
}

function options(width: number, { line, grid, text }: ReturnType<typeof useColours>): uPlot.Options {
  const axis = { stroke: text, font: "11px system-ui, sans-serif", ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 16, 0, 0],
    scales: {
      x: { time: false, range: [2 - SECONDS, 0] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] },
    },
    axes: [
      {
        ...axis,
        size: 20,
        grid: { show: false },
        splits: () => [-120, -60, 0],
        values: (_, splits) => splits.map((s) => (s === 0 ? "now" : `${s / 60} min`)),
      },
      { ...axis, size: 40, grid: { stroke: grid, width: 1 }, space: 28, values: (_, splits) => splits.map(rate) },
    ],
    series: [{}, { stroke: line, width: 1.5, fill: `${line}22`, points: { show: false } }],
  };
}
