// Commands and events per second of the last minutes, from counters that only grow.

import type { Hub } from "../api/wire";

/** How many seconds are kept. */
export const SECONDS = 180;

export interface Rates {
  /** The second of the last bucket, by the hub's clock. */
  end: number;
  /** The first second with data. */
  begin: number;
  /** Per second, oldest first; SECONDS of them. */
  commands: number[];
  events: number[];
  /** When the counters were read, in ms, and what they were, by hub. */
  at: number;
  seen: ReadonlyMap<string, { received: number; events: number }>;
}

export function noRates(now: number): Rates {
  const zeros = () => new Array<number>(SECONDS).fill(0);
  const end = Math.floor(now / 1000);
  return { end, begin: end, commands: zeros(), events: zeros(), at: 0, seen: new Map() };
}

/** Advances to `now`, in ms of the hub's clock. */
export function advance(rates: Rates, now: number): Rates {
  const end = Math.floor(now / 1000);
  const by = Math.min(end - rates.end, SECONDS);
  if (by <= 0) return rates;
  const shift = (list: number[]) => [...list.slice(by), ...new Array<number>(by).fill(0)];
  return { ...rates, end, commands: shift(rates.commands), events: shift(rates.events) };
}

/** Adds what the hubs have counted since the last state. */
export function count(before: Rates, now: number, hubs: Hub[]): Rates {
  const rates = advance(before, now);
  const seen = new Map(
    hubs.map(({ hub, counters }) => [hub, { received: counters.received, events: counters.events }]),
  );
  if (!before.at) return { ...rates, at: now, seen };
  let commands = 0;
  let events = 0;
  for (const [hub, c] of seen) {
    const old = before.seen.get(hub);
    commands += since(old?.received, c.received);
    events += since(old?.events, c.events);
  }
  // A state comes within a second after a change, so the counts belong to the last second.
  const from = Math.min(Math.max(before.at, now - 1000), now);
  return {
    ...rates,
    commands: spread(rates.commands, rates.end, from, now, commands),
    events: spread(rates.events, rates.end, from, now, events),
    at: now,
    seen,
  };
}

/** The increase of a counter. If it is smaller than before, its hub was created again, and it began at 0. */
function since(old = 0, now: number): number {
  return now >= old ? now - old : now;
}

/** Distributes an amount over the seconds from `from` to `to`. */
function spread(list: number[], end: number, from: number, to: number, amount: number): number[] {
  if (amount === 0) return list;
  const next = [...list];
  const add = (second: number, part: number) => {
    const i = next.length - 1 - (end - second);
    if (i >= 0 && i < next.length) next[i]! += part;
  };
  if (to <= from) {
    add(Math.floor(to / 1000), amount);
    return next;
  }
  for (let second = Math.floor(from / 1000); second * 1000 < to; second++) {
    const overlap = Math.min(to, (second + 1) * 1000) - Math.max(from, second * 1000);
    if (overlap > 0) add(second, (amount * overlap) / (to - from));
  }
  return next;
}

/** The current rate: the mean of the last three complete seconds. */
export function current(list: number[]): number {
  const last = list.slice(-4, -1);
  return last.reduce((sum, n) => sum + n, 0) / last.length;
}
