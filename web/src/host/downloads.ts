// Files that frames download. The hub gets each in parts, the next one when it has taken the one before, with other
// messages between them. All downloads take turns, so that one part is under way for all of them together.

import type { HostMessage } from "../wire/bridge";
import type { Download, Downloaded } from "../wire/frame";

/** Bytes of a part: 0.1 s at 10 Mbit/s. */
export const PART = 128 * 1024;

/** Maximum number of downloads under way. Any more are not reported. */
const MOST = 100;

interface Running {
  targetId: string;
  /** The content, once it is known. */
  content?: Uint8Array;
  sent: number;
  /** Whether the hub waits for the next part. Undefined until it has answered. */
  more?: boolean;
}

export class Downloads {
  /** By guid, those whose turn it is first. */
  private readonly running = new Map<string, Running>();
  /** The guid of the part that the hub has not taken yet. */
  private untaken?: string;

  constructor(private readonly send: (message: HostMessage, targetId: string) => void) {}

  begins(targetId: string, { guid, frameId, url, suggestedFilename }: Download): void {
    const texts = [guid, frameId, url, suggestedFilename].every((text) => typeof text === "string");
    if (!texts || this.running.has(guid) || this.running.size >= MOST) return;
    this.running.set(guid, { targetId, sent: 0 });
    this.send({ kind: "downloadBegins", targetId, frameId, guid, url, suggestedFilename }, targetId);
  }

  /** The agent has read the file, or could not read it. */
  read(targetId: string, { guid, content }: Downloaded): void {
    const d = this.running.get(guid);
    if (!d || d.targetId !== targetId || d.content) return;
    if (!(content instanceof ArrayBuffer)) return this.end(guid, d);
    d.content = new Uint8Array(content);
    this.next();
  }

  /** The hub has taken a message. */
  taken(guid: string, more: boolean): void {
    const d = this.running.get(guid);
    if (this.untaken === guid) this.untaken = undefined;
    if (d) {
      d.more = more;
      this.running.delete(guid); // to the end of the queue
      this.running.set(guid, d);
    }
    this.next();
  }

  /** The document of a Target is gone: files that it has not read yet are canceled. */
  left(targetId: string): void {
    for (const [guid, d] of this.running) if (d.targetId === targetId && !d.content) this.end(guid, d);
  }

  /** The Target has ended. The hub cancels its downloads. */
  ended(targetId: string): void {
    for (const [guid, d] of this.running) if (d.targetId === targetId) this.forget(guid);
    this.next();
  }

  /** The connection has ended. */
  clear(): void {
    this.running.clear();
    this.untaken = undefined;
  }

  private forget(guid: string): void {
    this.running.delete(guid);
    if (this.untaken === guid) this.untaken = undefined;
  }

  private end(guid: string, { targetId, content }: Running): void {
    this.forget(guid);
    this.send({ kind: "downloadEnds", guid, ...(content && { totalBytes: content.length }) }, targetId);
  }

  private next(): void {
    for (const [guid, d] of this.running) {
      if (this.untaken !== undefined) return;
      const { targetId, content, more, sent } = d;
      if (!content || more === undefined) continue;
      if (!more || sent >= content.length) {
        this.end(guid, d);
        continue;
      }
      d.sent = sent + PART;
      this.untaken = guid;
      this.send({ kind: "downloadPart", guid, data: base64(content.subarray(sent, d.sent)) }, targetId);
    }
  }
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x2000) text += String.fromCharCode(...bytes.subarray(i, i + 0x2000));
  return btoa(text);
}
