// A browser runs microtasks between two input events (HTML, "perform a microtask
// checkpoint"), and frameworks render in them. Events dispatched by script get no
// checkpoint in between, so the agent waits for a task of its own.

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
