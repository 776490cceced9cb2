// Follows the state of the hub. Connects again by itself until it is stopped.

import { headers } from "./access";
import { EventParser } from "./sse";
import type { State } from "./wire";

export type Problem =
  | { kind: "login"; status: number; text: string }
  | { kind: "ended" }
  | { kind: "lost" }
  | { kind: "refused"; text: string };

interface Listener {
  state(state: State): void;
  problem(problem: Problem): void;
}

/** After this time without data the connection counts as lost. The hub sends a comment every 15 s. */
const SILENCE_MS = 35_000;
const FIRST_MS = 250;
const LONGEST_MS = 4_000;

/** Returns a function that stops it. */
export function follow(address: string, listener: Listener): () => void {
  const stopped = new AbortController();
  void run(address, listener, stopped.signal);
  return () => stopped.abort();
}

async function run(address: string, listener: Listener, stopped: AbortSignal): Promise<void> {
  let wait = FIRST_MS;
  while (!stopped.aborted) {
    const problem = await once(address, stopped, (state) => {
      wait = FIRST_MS;
      listener.state(state);
    });
    if (stopped.aborted) return;
    listener.problem(problem);
    if (problem.kind === "login" || problem.kind === "ended") return; // no more attempts until there is another token
    await sleep(wait, stopped);
    wait = Math.min(2 * wait, LONGEST_MS);
  }
}

/** One connection. It resolves with the reason why it has ended. */
async function once(address: string, stopped: AbortSignal, got: (state: State) => void): Promise<Problem> {
  const connection = new AbortController();
  const end = () => connection.abort();
  stopped.addEventListener("abort", end);
  let watchdog = setTimeout(end, SILENCE_MS);
  try {
    const answer = await fetch(address, { headers: headers(), cache: "no-store", signal: connection.signal });
    if (answer.status === 401 || answer.status === 429)
      return { kind: "login", status: answer.status, text: await answer.text() };
    if (!answer.ok || !answer.body) return refused(answer.status, await answer.text());
    let ended = false;
    const parser = new EventParser(({ event, data }) => {
      if (event === "state") got(JSON.parse(data));
      if (event === "ended") ended = true;
    });
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      clearTimeout(watchdog);
      watchdog = setTimeout(end, SILENCE_MS);
      parser.push(decoder.decode(value, { stream: true }));
      if (ended) return { kind: "ended" };
    }
  } catch {
    // The browser's network errors have no useful text.
  } finally {
    clearTimeout(watchdog);
    stopped.removeEventListener("abort", end);
  }
  return { kind: "lost" };
}

function refused(status: number, text: string): Problem {
  if (status === 502 || status === 503 || status === 504) return { kind: "lost" };
  return { kind: "refused", text: text.trim() || `The hub refuses this page (status ${status}). Reload the page.` };
}

function sleep(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
