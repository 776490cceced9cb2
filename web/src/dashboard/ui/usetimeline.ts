import { useEffect, useRef, useState } from "preact/hooks";
import { headers } from "../api/access";
import type { Entry } from "../api/wire";
import { MOST, merge } from "../model/timeline";

/** A picture of the past, in place of the live one. */
export interface PastPicture {
  /** "" while there is none. */
  url: string;
  /** The text of the entry. */
  text: string;
}

const EVERY_MS = 1_500;

/** The timeline of a target; undefined if the hub keeps none. That of a recording is loaded once, as a whole. */
export function useTimeline(path: string, targetId: string, recorded: boolean): Entry[] | undefined {
  const [entries, setEntries] = useState<Entry[]>();
  useEffect(() => {
    const stopped = new AbortController();
    let list: Entry[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const after = list.length ? `&after=${list[list.length - 1]!.seq}` : "";
      let again = true;
      try {
        if (document.hidden && !recorded) return;
        const address = `${path}/ui/api/timeline?target=${encodeURIComponent(targetId)}${after}`;
        const answer = await fetch(address, { headers: headers(), cache: "no-store", signal: stopped.signal });
        again = answer.status !== 404;
        if (!answer.ok) return;
        list = merge(list, (await answer.json()).entries ?? [], recorded ? Infinity : MOST);
        again = !recorded;
        setEntries(list);
      } catch {
        // The state of the hub connection shows when the hub is lost.
      } finally {
        if (again && !stopped.signal.aborted) timer = setTimeout(ask, EVERY_MS);
      }
    };
    void ask();
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [path, targetId, recorded]);
  return entries;
}

/** Maximum number of cached pictures, for scrubbing back and forth. */
const KEPT = 40;

/** Loads pictures of the timeline, with the token, as blob: URLs for an img. */
export function usePictures(path: string, targetId: string): (seq: number) => Promise<string> {
  const kept = useRef(new Map<number, Promise<string>>());
  useEffect(
    () => () => {
      for (const url of kept.current.values()) revoke(url);
      kept.current.clear();
    },
    [],
  );
  return (seq) => {
    const known = kept.current.get(seq);
    if (known) return known;
    const url = load(`${path}/ui/api/picture?target=${encodeURIComponent(targetId)}&seq=${seq}`);
    kept.current.set(seq, url);
    if (kept.current.size > KEPT) {
      const [oldest, old] = kept.current.entries().next().value!;
      kept.current.delete(oldest);
      revoke(old);
    }
    return url;
  };
}

/** Loads a picture as a URL; "" if it does not exist any more. */
async function load(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { headers: headers() });
    return answer.ok ? URL.createObjectURL(await answer.blob()) : "";
  } catch {
    return "";
  }
}

function revoke(url: Promise<string>): void {
  void url.then((u) => u && URL.revokeObjectURL(u));
}
