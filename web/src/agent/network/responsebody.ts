// Reads the body of a response in parallel with the page, for
// Network.getResponseBody. The page gets each chunk as it comes.

import { MAX_BYTES } from "./bodies";
import type { Exchange } from "./exchange";

/** Reads the body of a response that the page is about to get, and reports its end. */
export function followBody(x: Exchange, r: Response): void {
  if (!r.body) return x.finished();
  if (!x.heard) return x.finished();
  let copy: ReadableStreamDefaultReader<Uint8Array>;
  try {
    copy = (r.clone().body as ReadableStream<Uint8Array>).getReader();
  } catch {
    return x.finished(); // clone() fails where a Client's response shares the stream
  }
  onCancel(r.body, () => {
    x.failed("net::ERR_ABORTED", true);
    copy.cancel().catch(() => {});
  });
  void follow(x, copy);
}

async function follow(x: Exchange, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length <= MAX_BYTES) chunks.push(value);
      else chunks = [];
    }
    x.finished(length <= MAX_BYTES ? joined(chunks, length) : null, length);
  } catch (e) {
    const aborted = (e as Error)?.name === "AbortError";
    x.failed(aborted ? "net::ERR_ABORTED" : "net::ERR_FAILED", aborted);
  }
}

function joined(chunks: Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const c of chunks) {
    all.set(c, at);
    at += c.length;
  }
  return all;
}

/**
 * Calls f when the page cancels a stream. The copy must be cancelled as well, or
 * it would keep the connection open. A stream has no event for that, so the page
 * reads through a stream in between.
 */
function onCancel(stream: ReadableStream<Uint8Array>, f: () => void): void {
  const native = stream as unknown as Record<PropertyKey, (...args: unknown[]) => unknown>;
  const { getReader, cancel } = stream;
  const define = (name: PropertyKey, value: unknown): void => {
    Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  };
  const between = (): ReadableStream<Uint8Array> => {
    const reader = getReader.call(stream) as ReadableStreamDefaultReader<Uint8Array>;
    const source = {
      async pull(c: ReadableByteStreamController): Promise<void> {
        const { done, value } = await reader.read();
        if (!done) return c.enqueue(value as Uint8Array<ArrayBuffer>);
        c.close();
        c.byobRequest?.respond(0);
      },
      cancel(reason: unknown): Promise<void> {
        f();
        return reader.cancel(reason);
      },
    };
    try {
      return new ReadableStream({ ...source, type: "bytes" }, { highWaterMark: 0 });
    } catch {
      // WebKit has no ReadableStream of type "bytes"
      return new ReadableStream(source as unknown as UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>, {
        highWaterMark: 0,
      });
    }
  };
  define("cancel", (reason: unknown) => {
    if (!stream.locked) f();
    return cancel.call(stream, reason);
  });
  for (const name of ["getReader", "pipeTo", "pipeThrough", "tee", "values", Symbol.asyncIterator]) {
    const method = native[name];
    if (!method) continue;
    define(name, (...args: unknown[]) => {
      if (stream.locked) return method.apply(stream, args); // throws the browser's own error
      const s = between() as unknown as typeof native;
      return s[name](...args);
    });
  }
}
