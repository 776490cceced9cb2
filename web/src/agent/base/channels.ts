// MessageChannels that the page's scripts cannot get hold of. The ports are read with the original accessors, and no
// setter such as onmessage is used: the page may have replaced both.

const accessor = (name: "port1" | "port2"): (() => MessagePort) =>
  Object.getOwnPropertyDescriptor(MessageChannel.prototype, name)?.get as () => MessagePort;
const first = accessor("port1");
const second = accessor("port2");

/** A new channel: `near` is this end, whose messages go to `hear`, and `far` is the end to send away. */
export function channel(hear: (e: MessageEvent) => void): { near: MessagePort; far: MessagePort } {
  const c = new MessageChannel();
  const near = Reflect.apply(first, c, []) as MessagePort;
  listenTo(near, hear);
  return { near, far: Reflect.apply(second, c, []) as MessagePort };
}

/** Listens to a port. */
export function listenTo(port: MessagePort, hear: (e: MessageEvent) => void): void {
  port.addEventListener("message", hear as EventListener);
  port.start();
}
