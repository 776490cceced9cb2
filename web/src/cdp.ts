// Types of the Chrome DevTools Protocol, from the package devtools-protocol.
// Nothing here is left in a bundle.

import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping";

export type { Protocol } from "devtools-protocol";

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

/** A method such as "DOM.getDocument". */
export type Method = keyof Commands;
/** The domains that have methods. */
export type Domain = Method extends `${infer D}.${string}` ? D : never;
/** The params of a method; a method without any takes an empty object. */
export type Params<M extends Method> = Commands[M]["paramsType"] extends [(infer P)?] ? NonNullable<P> : never;
/** The result of a method. */
export type Result<M extends Method> = Commands[M]["returnType"];

/** An event such as "DOM.documentUpdated". */
export type EventName = keyof Events;
/** The params of an event. */
export type EventParams<M extends EventName> = Events[M] extends [infer P] ? P : Record<string, never>;
