// A browser's own events come one by one: what a listener has left for a
// microtask, as frameworks do with their rendering, runs before the next.

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()?.();

/** Resolves in a task of its own. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
}
