// A session of the Host page itself. A console panel in the page would use one.

import type { CdpEvent, Json, Response } from "../wire/cdp";
import type { Send } from "./link";

/** The error of a command, with the message and code of CDP. */
export class CommandError extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** Advice; "" if there is none. */
    readonly data = "",
  ) {
    super(message);
    this.name = "CommandError";
  }
}

/** A session of the Host page itself on a Target, made by Host.attach. */
export class LocalSession {
  private nextId = 1;
  private readonly waiting = new Map<number, { resolve(r: Json): void; reject(e: Error): void }>();
  private readonly listeners = new Map<string, Set<(params: Json) => void>>();

  /** @internal */
  constructor(
    readonly sessionId: string,
    readonly targetId: string,
    private readonly core: Send,
  ) {
    core({ do: "attach", sessionId, targetId });
  }

  /** Sends a command, for example send("Runtime.evaluate", {expression: "1+1"}). Rejects with a CommandError. */
  send(method: string, params: Json = {}): Promise<Json> {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.waiting.set(id, { resolve, reject });
      this.core({ do: "command", sessionId: this.sessionId, id, method, params });
    });
  }

  /**
   * Calls f for each event of this method, and with "detached" and {reason} at the end of the session. Returns a
   * function that stops this.
   */
  on(method: string, f: (params: Json) => void): () => void {
    const set = this.listeners.get(method) ?? new Set();
    this.listeners.set(method, set.add(f));
    return () => set.delete(f);
  }

  /** Ends the session. What it has set in the Target is undone. */
  detach(): void {
    this.core({ do: "detach", sessionId: this.sessionId });
    this.end("detached");
  }

  /** @internal A message of the Core for this session. */
  receive(m: Response | CdpEvent): void {
    if ("method" in m) return this.fire(m.method, m.params);
    const call = this.waiting.get(m.id);
    this.waiting.delete(m.id);
    if (m.error) call?.reject(new CommandError(m.error.code, m.error.message, m.error.data));
    else call?.resolve(m.result ?? {});
  }

  /** @internal The session is over. */
  end(reason: string): void {
    for (const call of this.waiting.values()) call.reject(new CommandError(-32000, reason));
    this.waiting.clear();
    this.fire("detached", { reason });
    this.listeners.clear();
  }

  private fire(method: string, params: Json): void {
    for (const f of [...(this.listeners.get(method) ?? [])]) f(params);
  }
}
