// What goes to the relay. A relay with the feature "chunks" gets a large message in chunks, and messages of
// other sessions go between them: who takes a large answer does not make the others wait. The messages of one
// session stay in order.

/** A longer message goes in chunks. All sizes are UTF-16 code units. */
const LARGE = 256 * 1024;
export const CHUNK = 64 * 1024;
/**
 * Chunks that the relay has not taken yet, at most. What is sent waits behind them: at 10 Mbit/s, 0.4 s. More would
 * make others wait longer, and less would slow down a connection with a long way to the relay.
 */
export const WINDOW = 8;

/** In place of a session, for a message that follows those of the Target itself, and none of its sessions. */
export const NONE = "";

/** What a message is of, which its order depends on. */
export interface Place {
  /** The Target; undefined for a message that may overtake all others. */
  targetId?: string;
  /** The sessions; none for a message of the Target itself, which follows those of all its sessions. */
  sessions?: string[];
}

interface Waiting extends Place {
  text: string;
}

export class Outbox {
  /** The relay puts chunks together. */
  chunked = false;
  /** The large message of which chunks are being sent, and messages that must not overtake it; in their order. */
  private waiting: Waiting[] = [];
  /** The large message that is being sent, and how much of it has been. */
  private current?: Waiting;
  private sent = 0;
  private untaken = 0;

  constructor(private readonly emit: (text: string) => void) {}

  /** Whether a message of this place would have to wait. */
  holds(place: Place): boolean {
    return waits(place, this.waiting);
  }

  send(text: string, place: Place = {}): void {
    const large = this.chunked && text.length > LARGE;
    if (!large && !waits(place, this.waiting)) return this.emit(text);
    this.waiting.push({ ...place, text });
    if (!this.current) this.next();
  }

  /** The relay has taken a chunk. */
  taken(): void {
    if (this.untaken > 0) this.untaken--;
    this.go();
  }

  /** Forgets everything: the connection has ended. */
  clear(): void {
    this.chunked = false;
    this.waiting = [];
    this.current = undefined;
    this.untaken = 0;
  }

  /** Sends what need not wait any more, up to the first large message of those. */
  private next(): void {
    const all = this.waiting;
    this.waiting = [];
    for (const w of all) {
      if (waits(w, this.waiting)) this.waiting.push(w);
      else if (w.text.length <= LARGE) this.emit(w.text);
      else {
        this.waiting.push(w);
        if (this.current) continue;
        this.current = w;
        this.sent = 0;
      }
    }
    this.go();
  }

  /** Sends chunks of the large message, as many as the relay may have untaken. */
  private go(): void {
    while (this.current && this.untaken < WINDOW) {
      const { text } = this.current;
      const from = this.sent;
      this.sent = Math.min(text.length, from + CHUNK);
      if (isHalf(text, this.sent - 1)) this.sent++; // each message is UTF-8 by itself
      const last = this.sent >= text.length;
      this.untaken++;
      this.emit(`{"kind":"chunk","last":${last}}\n${text.slice(from, this.sent)}`);
      if (!last) continue;
      this.waiting.splice(this.waiting.indexOf(this.current), 1);
      this.current = undefined;
      this.next();
    }
  }
}

/** Whether a message must not overtake one of those before it. */
function waits({ targetId, sessions = [] }: Place, before: Waiting[]): boolean {
  if (targetId === undefined || !before.length) return false;
  return before.some(
    (w) => w.targetId === targetId && (!sessions.length || !w.sessions?.length || overlap(sessions, w.sessions)),
  );
}

const overlap = (a: string[], b: string[]): boolean => a.some((s) => b.includes(s));

/** Whether a code unit is the first of the two that make one character. */
function isHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length;
}
