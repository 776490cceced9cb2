import { useEffect, useRef, useState } from "preact/hooks";
import type { Entry } from "../api/wire";
import { around, beginning, describe, pictureAt, position, thin } from "../model/timeline";
import { type PastPicture, usePictures, useTimeline } from "./usetimeline";

interface Props {
  path: string;
  targetId: string;
  /** Whether it is of a recording, which has no live entries. */
  recorded: boolean;
  /** Shows a picture of the past, or the live one again. */
  show(past: PastPicture | undefined): void;
}

/** What happened on a target. Scrubbed to an entry, it shows the page as it was then. */
export function Timeline({ path, targetId, recorded, show }: Props) {
  const entries = useTimeline(path, targetId, recorded);
  const picture = usePictures(path, targetId);
  const [chosen, setSeq] = useState<number>();
  const seq = chosen ?? (recorded && entries ? beginning(entries)?.seq : undefined); // undefined is the live picture
  const wanted = useRef(seq);
  wanted.current = seq;
  const index = entries && seq !== undefined ? entries.findIndex((e) => e.seq >= seq) : -1;
  const entry = entries?.[index];
  const shot = entries && entry && pictureAt(entries, index);
  useEffect(() => {
    if (!entry) return show(undefined);
    if (!shot) return show({ url: "", text: "There is no picture of that time." });
    void picture(shot.seq).then((url) => {
      if (wanted.current === seq) show({ url, text: url ? describe(entry) : "That picture is not kept any more." });
    });
  }, [entry?.seq, shot?.seq]);
  if (!entries?.length) return null;
  const now = entries.length;
  const began = recorded ? entries[0]!.at : undefined;
  const go = (i: number) => setSeq(entries[i]?.seq);
  const text = entry ? `${timeOf(entry, began)} · ${describe(entry)}` : "Now";
  return (
    <section class="timeline" aria-labelledby="timeline">
      <div class="row">
        <h2 id="timeline">Timeline</h2>
        <p class="faint line">{text}</p>
        {entry && !recorded && (
          <button type="button" onClick={() => go(now)}>
            Live
          </button>
        )}
      </div>
      <Marks entries={entries} at={entry} />
      <input
        type="range"
        min="0"
        max={recorded ? now - 1 : now}
        value={entry ? index : now}
        aria-label="Time"
        aria-valuetext={text}
        onInput={(e) => go(Number(e.currentTarget.value))}
      />
      <Listed entries={entries} at={entry} began={began} go={setSeq} />
    </section>
  );
}

/** Maximum numbers of entries in the strip and in the list. */
const MARKS = 400;
const LISTED = 100;

/** The entries on a time axis. Hidden from screen readers, since the list has the same information. */
function Marks({ entries, at }: { entries: Entry[]; at: Entry | undefined }) {
  const shown = thin(entries, MARKS);
  return (
    <svg class="marks" aria-hidden="true" viewBox="0 0 1000 16" preserveAspectRatio="none">
      {shown.map((e) => (
        <rect
          key={e.seq}
          class={`mark ${e.error ? "error" : e.kind} ${e === at ? "here" : ""}`}
          x={position(shown, e) * 996}
          y={e.picture ? 0 : 5}
          width="3"
          height={e.picture ? 16 : 11}
        />
      ))}
    </svg>
  );
}

interface ListedProps {
  entries: Entry[];
  at: Entry | undefined;
  /** When the recording began, in ms since 1970; undefined for a live target. */
  began: number | undefined;
  go(seq: number): void;
}

/** The entries as a list: for a live target the newest first, for a recording in order. */
function Listed({ entries: all, at, began, go }: ListedProps) {
  const { from, entries } = around(all, at ? all.indexOf(at) : -1, LISTED);
  const ordered = began === undefined ? [...entries].reverse() : entries;
  return (
    <details open={began !== undefined}>
      <summary>
        Entries {from + 1} to {from + entries.length} of {all.length.toLocaleString()}
      </summary>
      <ol class="entries">
        {ordered.map((e) => (
          <li key={e.seq}>
            <button type="button" aria-pressed={e === at} onClick={() => go(e.seq)}>
              <time dateTime={new Date(e.at).toISOString()}>{timeOf(e, began)}</time> {describe(e)}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The time of day, or the seconds since the recording began. */
function timeOf(e: Entry, began: number | undefined): string {
  return began === undefined ? new Date(e.at).toLocaleTimeString() : `${((e.at - began) / 1000).toFixed(2)} s`;
}
