// The timeline of a target, as a strip for scrubbing.

import type { Entry } from "../api/wire";
import { entryWords } from "./words";

/** Maximum number of entries of a live target in the page. The hub limits its own ring. */
export const MOST = 2_000;

/** Adds entries that are newer. */
export function merge(list: Entry[], more: Entry[], most = MOST): Entry[] {
  const last = list.length ? list[list.length - 1]!.seq : -Infinity;
  const newer = more.filter((e) => e.seq > last);
  return newer.length ? [...list, ...newer].slice(-most) : list;
}

/** The picture of the page at an entry: the entry's own, or the last one before. */
export function pictureAt(list: Entry[], index: number): Entry | undefined {
  for (let i = Math.min(index, list.length - 1); i >= 0; i--) if (list[i]!.picture) return list[i];
  return undefined;
}

/** At most `most` entries over the whole time. Of neighbours, the one with the most information stays. */
export function thin(list: Entry[], most: number): Entry[] {
  const each = Math.ceil(list.length / most);
  if (each <= 1) return list;
  const kept: Entry[] = [];
  for (let i = 0; i < list.length; i += each) {
    kept.push(list.slice(i, i + each).reduce((a, b) => (weight(b) > weight(a) ? b : a)));
  }
  return kept;
}

const weight = (e: Entry): number => (e.error || e.kind === "error" ? 2 : e.picture ? 1 : 0);

/** The entries for a list of limited length: those around an index, or the last ones. */
export function around(list: Entry[], index: number, most: number): { from: number; entries: Entry[] } {
  const last = Math.max(0, list.length - most);
  const from = index < 0 || index >= last ? last : index - (index % most);
  return { from, entries: list.slice(from, from + most) };
}

/** The entry that a recording shows first: the earliest one at a time that has a picture. */
export function beginning(list: Entry[]): Entry | undefined {
  return list.find((e) => e.picture) ?? list[0];
}

/** An entry as a line of text. */
export function describe(entry: Entry): string {
  const parts = entryWords(entry).filter(Boolean);
  if (entry.ms !== undefined) parts.push(`${Math.round(entry.ms)} ms`);
  if (entry.error) parts.push(`failed: ${entry.error}`);
  return parts.join(" · ");
}

/** The position of an entry in the strip by its time, 0 to 1. */
export function position(list: Entry[], entry: Entry): number {
  const from = list[0]!.at;
  const to = list[list.length - 1]!.at;
  return to > from ? (entry.at - from) / (to - from) : 1;
}
