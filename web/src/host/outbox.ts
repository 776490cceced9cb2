// The queue of messages to the hub. A hub with the feature "chunks" gets a large message in chunks, with messages of
// other sessions between them, so that a large answer does not make other sessions wait. The messages of one session
// stay in order.

/** A longer message goes in chunks. All sizes are UTF-16 code units. */
const LARGE = 256 * 1024;
export const CHUNK = 64 * 1024;
/**
 * Maximum number of chunks that the hub has not taken yet. Later messages wait behind them: 0.4 s at 10 Mbit/s. A
 * larger window would make them wait longer, a smaller one would slow down connections with a long round-trip time.
 */
export const WINDOW = 8;

/** In place of a session, for a message that follows those of the Target itself, and none of its sessions. */
export const NONE = "";

/** The Target and sessions of a message. They decide which messages it must not overtake. */
export interface Place {
  /** The Target; undefined for a message that may overtake any other. */
  targetId?: string;
  /**
   * The sessions. None for a message of the Target itself, which must not overtake any message of the Target's
   * sessions.
   */
  sessions?: string[];
}

interface Waiting extends Place {
  text: string;
}

export class Outbox {
  /** Whether the hub joins chunks. */
  chunked = false;
  /** The large message that is being sent, and messages that must not overtake it, in order. */
  private waiting: Waiting[] = [];
  /** The large message that is being sent; `sent` says how much of it. */
  private current?: Waiting;
  private sent = 0;
  private untaken = 0;

  constructor(private readonly emit: (text: string) => void) {}

  /** Whether a message with this place would have to wait. */
  holds(place: Place): boolean {
    return waits(place, this.waiting);
  }

  send(text: string, place: Place = {}): void {
    const large = this.chunked && text.length > LARGE;
    if (!large && !waits(place, this.waiting)) return this.emit(text);
    this.waiting.push({ ...place, text });
    if (!this.current) this.next();
  }

  /** The hub has taken a chunk. */
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

  /** Sends the messages that need not wait any more, and starts with the first large one among them. */
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

  /** Sends chunks of the large message, up to the window. */
  private go(): void {
    while (this.current && this.untaken < WINDOW) {
      const { text } = this.current;
      const from = this.sent;
      this.sent = Math.min(text.length, from + CHUNK);
      // A chunk must not end within a surrogate pair: each WebSocket message is valid UTF-8.
      if (isHalf(text, this.sent - 1)) this.sent++;
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

/** Whether a code unit is the first half of a surrogate pair. */
function isHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length;
}
