// The parts of agent.js that only commands need. A document loads one when a
// Client first sends such a command. agent.mjs has all of them in it.

/// <reference path="./agent-lent.d.ts" />
import { lend, version } from "agent-lent";
import { load } from "./base/bundles";
import { originals } from "./base/originals";
import { loadMissing, wantsMore } from "./base/parts";
import { ProtocolError } from "./base/registry";

/** A part: its default export adds its handlers to the agent, and returns what other parts use of it. */
interface Part {
  version: string;
  default(lent: object): object;
}

interface Kind {
  name: string;
  methods: RegExp;
  /** The parts that it uses. */
  needs?: string[];
}

/** The parts and their methods, of which agent.js has none itself. */
const PARTS: Kind[] = [
  { name: "accessibility.js", methods: /^Accessibility\./, needs: ["dom.js"] },
  { name: "input.js", methods: /^Input\./ },
  { name: "network.js", methods: /^Fetch\./ },
  {
    name: "extras.js",
    methods:
      /^(DOM\.(.*Search.*|collect.*|setFileInputFiles|setInspectedNode|(set|remove)(Attribute|Node).*|(get|set)OuterHTML|copyTo|moveTo|getFileInfo)|(Network|Storage)\..*Cookies?|Network\.(get(ResponseBody|RequestPostData)|setUserAgentOverride)|Emulation\.((set|clear)GeolocationOverride|setTouchEmulationEnabled)|Runtime\.(getProperties|compileScript|getHeapUsage|getExceptionDetails)|Storage\.getStorageKey.*|DOMStorage\.(clear|.*Item.*))$/,
    needs: ["dom.js"],
  },
  {
    name: "dom.js",
    methods:
      /^(DOM|DOMSnapshot|Performance)\.|^CSS\.getComputedStyleForNode$|^Page\.(captureScreenshot|getLayoutMetrics|.*[sS]creencast.*)$|^Emulation\.setDefaultBackgroundColorOverride$/,
  },
];

/** How long a part may take, since the commands of its session wait. */
const LOAD_MS = 15_000;

const there = new Set<string>();
/** What parts may use: exports of agent.js and of the parts that have been loaded. */
let lent: object | undefined;

loadMissing((method, p) => {
  const part = PARTS.find((k) => (wantsMore(p) ? k.name === "extras.js" : k.methods.test(method)));
  return !part || there.has(part.name) ? undefined : add(part, method);
});

async function add({ name, needs = [] }: Kind, method: string): Promise<void> {
  const missing = PARTS.filter((p) => needs.includes(p.name) && !there.has(p.name));
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
