// The params and results of messages. The Host reads only envelopes: the content stays the text that it arrived as,
// until a part of the Host has to read it.

import type { Answer, CdpError, Json } from "../wire/cdp";
import { parseObject } from "./channel";

/** The text of a JSON value that has not been parsed. */
export class Text {
  constructor(readonly text: string) {}
}

/** The params or the result of a message. */
export type Carried = Json | Text;

/** The answer to a command: result or error. */
export interface Reply {
  result?: Carried;
  error?: CdpError | Text;
}

/** The parsed content; {} if it is no object. */
export function read(carried: object): Json {
  return carried instanceof Text ? (parseObject(carried.text) ?? {}) : (carried as Json);
}

/** A reply with parsed content. */
export function plain({ result, error }: Reply): Answer {
  return error ? { error: read(error) as unknown as CdpError } : { result: result && read(result) };
}

/** The name of the last member of a message, and where its value begins. */
const CARRIED = /,"(params|result|error)":/;

/**
 * Reads the envelope of a message, and leaves its last member, which is params, result or error, as a Text. A message
 * is parsed as a whole if `enough` says that its envelope lacks something, which may be behind that member.
 *
 * In JSON text every quotation mark within a string has a backslash before it, so CARRIED finds only the name of a
 * member. If the text in front of it is an object once a brace is added, it is a member of the message itself, and
 * not of an inner object.
 */
export function open(data: unknown, enough: (envelope: Json) => boolean): Json | undefined {
  const found = typeof data === "string" && data.endsWith("}") ? CARRIED.exec(data) : null;
  const envelope = found && parseObject(`${found.input.slice(0, found.index)}}`);
  if (!envelope || !enough(envelope)) return parseObject(data);
  envelope[found[1]] = new Text(found.input.slice(found.index + found[0].length, -1));
  return envelope;
}

/** The text of a message with params, result or error. */
export function enclose(envelope: object, name: "params" | "result" | "error", carried: object): string {
  const text = carried instanceof Text ? carried.text : JSON.stringify(carried);
  return `${JSON.stringify(envelope).slice(0, -1)},"${name}":${text}}`;
}
