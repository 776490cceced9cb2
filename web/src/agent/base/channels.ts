// Channels that scripts of the page cannot get hold of: a port is reached by the
// accessors of before those scripts ran, and no setter of theirs sees it.

const accessor = (name: "port1" | "port2"): (() => MessagePort) =>
  Object.getOwnPropertyDescriptor(MessageChannel.prototype, name)?.get as () => MessagePort;
const first = accessor("port1");
const second = accessor("port2");

/** A new channel: this end, whose messages `hear` gets, and the one to give away. */
export function channel(hear: (e: MessageEvent) => void): { near: MessagePort; far: MessagePort } {
  const c = new MessageChannel();
  const near = Reflect.apply(first, c, []) as MessagePort;
  listenTo(near, hear);
  return { near, far: Reflect.apply(second, c, []) as MessagePort };
}

/** Hears what comes to a port. */
export function listenTo(port: MessagePort, hear: (e: MessageEvent) => void): void {
  port.addEventListener("message", hear as EventListener);
  port.start();
}
