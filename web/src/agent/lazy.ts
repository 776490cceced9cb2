// The parts of agent.js that only commands need. A document loads one when a
// Client first sends such a command. agent.mjs has all of them in it.

/// <reference path="./agent-lent.d.ts" />
import { lend, needs, version } from "agent-lent";
import { INERT, PARTS, REFUSED } from "../methods";
import { added } from "./base/added";
import { load } from "./base/bundles";
import { originals } from "./base/originals";
import { wantsMore } from "./base/parts";
import { ProtocolError } from "./base/registry";
import { byMethod, rowOf } from "./base/table";

/** A part: its default export adds its handlers to the agent, and returns what other parts use of it. */
interface Part {
  version: string;
  default(lent: object): object;
}

/** The part of each method; "" for those that agent.js answers itself. */
const partOf = byMethod({ "": [INERT, ...Object.values(REFUSED)].join(" "), ...PARTS });

/** How long a part may take, since the commands of its session wait. */
const LOAD_MS = 15_000;

const there = new Set<string>();
/** What parts may use: exports of agent.js and of the parts that have been loaded. */
let lent: object | undefined;

added.loadPart = (method, p) => {
  const name = wantsMore(p) ? "extras.js" : rowOf(partOf, method);
  return !name || there.has(name) ? undefined : add(name, method);
};

async function add(name: string, method: string): Promise<void> {
  const missing = (needs[name] ?? []).filter((p) => !there.has(p));
  const needed = Promise.all(missing.map((p) => add(p, method)));
  needed.catch(() => {}); // not an unhandled rejection: it is awaited below
  const part = await inTime(load<Part>(name, method), name);
  await needed;
  if (part.version !== version)
    throw new ProtocolError(`${name} is of another version than the agent in the page: reload the page`);
  if (there.has(name)) return; // another command has added it meanwhile
  there.add(name);
  lent ??= lend();
  Object.assign(lent, part.default(lent));
}

async function inTime<T>(wanted: Promise<T>, name: string): Promise<T> {
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = originals.setTimeout(
      () => reject(new ProtocolError(`The page could not load ${name} within ${LOAD_MS / 1000} s`)),
      LOAD_MS,
    );
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    originals.clearTimeout(timer);
  }
}
