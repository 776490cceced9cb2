// What messages carry. The Host reads their envelopes: what is inside stays the text that it
// came as, until somebody here has to know what it says.

import type { Answer, CdpError, Json } from "../wire/cdp";
import { parseObject } from "./channel";

/** A JSON value that nobody has read. */
export class Text {
  constructor(readonly text: string) {}
}

/** The params or the result of a message. */
export type Carried = Json | Text;

/** The answer to a command: one of the two. */
export interface Reply {
  result?: Carried;
  error?: CdpError | Text;
}

/** What is carried; {} where that is no object. */
export function read(carried: object): Json {
  return carried instanceof Text ? (parseObject(carried.text) ?? {}) : (carried as Json);
}

/** A reply that has been read. */
export function plain({ result, error }: Reply): Answer {
  return error ? { error: read(error) as unknown as CdpError } : { result: result && read(result) };
}

/** What a message carries, and where that begins. */
const CARRIED = /,"(params|result|error)":/;

/**
 * Reads the envelope of a message whose last member is what it carries, and leaves that one a Text. Another message
 * is read as a whole: `enough` says whether an envelope has all that counts, so that it does not matter what follows.
 *
 * Within a string of JSON text each quotation mark has a backslash before it, so CARRIED finds the name of a member and
 * nothing else. If what stands before it is an object once it has its brace, the member is one of the message itself.
 */
export function open(data: unknown, enough: (envelope: Json) => boolean): Json | undefined {
  const found = typeof data === "string" && data.endsWith("}") ? CARRIED.exec(data) : null;
  const envelope = found && parseObject(`${found.input.slice(0, found.index)}}`);
  if (!envelope || !enough(envelope)) return parseObject(data);
  envelope[found[1]] = new Text(found.input.slice(found.index + found[0].length, -1));
  return envelope;
}

/** The text of a message that carries something. */
export function enclose(envelope: object, name: "params" | "result" | "error", carried: object): string {
  const text = carried instanceof Text ? carried.text : JSON.stringify(carried);
  return `${JSON.stringify(envelope).slice(0, -1)},"${name}":${text}}`;
}
