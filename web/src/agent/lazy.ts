// The parts of agent.js that only commands need. A document loads one when a
// client first sends such a command. agent.mjs has all of them in it.

/// <reference path="./agent-lent.d.ts" />
import { lend, version } from "agent-lent";
import { load } from "./base/bundles";
import { originals } from "./base/originals";
import { loadMissing } from "./base/parts";
import { ProtocolError } from "./base/registry";

/** A part: its default export adds its handlers to the agent. */
interface Part {
  version: string;
  default(lent: object): void;
}

/** The methods of each part that agent.js has none of itself. */
const PARTS: [methods: RegExp, name: string][] = [
  [/^Accessibility\./, "accessibility.js"],
  [/^Input\./, "input.js"],
  [
    /^(DOM\.(.*Search.*|collect.*|(set|remove)(Attribute|Node).*|(get|set)OuterHTML|copyTo|moveTo|getFileInfo)|(Network|Storage)\..*Cookies?|Storage\.getStorageKey.*|DOMStorage\.(clear|.*Item.*))$/,
    "extras.js",
  ],
];

/** How long a part may take, since the commands of its session wait. */
const LOAD_MS = 15_000;

const there = new Set<string>();

loadMissing((method) => {
  const name = PARTS.find(([methods]) => methods.test(method))?.[1];
  return name === undefined || there.has(name) ? undefined : add(name, method);
});

async function add(name: string, method: string): Promise<void> {
  const part = await inTime(load<Part>(name, method), name);
  if (part.version !== version)
    throw new ProtocolError(`${name} is of another version than the agent in the page: reload the page`);
  if (there.has(name)) return; // for another command
  there.add(name);
  part.default(lend());
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
