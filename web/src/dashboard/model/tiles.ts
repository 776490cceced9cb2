// How large the tiles of the overview are.

/** The least width of a tile, in px: of the many on a page that scrolls. */
const LEAST = 210;
const GAP = 12;
/** What a tile has below its picture, and a hub above and below its tiles. */
const TEXT = 84;
const HEAD = 72;
/** Of pictures: width to height. */
export const RATIO = 1.6;

/**
 * The largest width of tiles with which all of them fit into an area, or the least one. `hubs` are the numbers of tiles:
 * each hub begins a row.
 */
export function tileWidth(area: { width: number; height: number }, hubs: number[]): number {
  const full = hubs.filter((n) => n > 0);
  const head = HEAD * hubs.length;
  let best = 0;
  for (let columns = 1; columns <= Math.max(1, ...full); columns++) {
    const rows = full.reduce((sum, n) => sum + Math.ceil(n / columns), 0);
    const wide = (area.width - GAP * (columns - 1)) / columns;
    const high = ((area.height - head - GAP * (rows - full.length)) / Math.max(1, rows) - TEXT) * RATIO;
    best = Math.max(best, Math.min(wide, high));
  }
  if (best >= LEAST) return Math.floor(best);
  const columns = Math.max(1, Math.floor((area.width + GAP) / (LEAST + GAP)));
  return Math.floor((area.width - GAP * (columns - 1)) / columns);
}
