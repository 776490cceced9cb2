// The Debugger domain, for reading only: the scripts of the documents, their texts, and searches in them. Page script
// cannot stop at a line.

import type { Protocol } from "../../cdp";
import { CommandError, type Handlers, type Session, agent } from "../agent";
import { Lines } from "../css/source";
import { resourcesOf } from "./resources";
import { search } from "./search";

interface Script {
  id: string;
  url: string;
  contextId: number;
  isModule: boolean;
  /** The text, loaded when a Client first needs it. */
  text: () => Promise<string>;
}

const scripts = new Map<string, Script>();
const known = new WeakSet<HTMLScriptElement>();
const urls = new Set<string>();
let counter = 0;
let observer: MutationObserver | undefined;

const load = (url: string): (() => Promise<string>) => {
  let text: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const r = await agent.fetchKept(url);
    if (!r.ok) throw new Error(`status ${r.status}`);
    return r.text();
  };
  return () =>
    (text ??= ask().catch((e: Error) => {
      text = undefined;
      throw new CommandError(`The source of ${url} cannot be read: ${e.message}`);
    }));
};

function add(s: Omit<Script, "id">): Promise<void> | undefined {
  if (s.url && urls.has(s.url)) return undefined;
  urls.add(s.url);
  const script = { ...s, id: `${agent.base()}.${++counter}` };
  scripts.set(script.id, script);
  return tell(script);
}

async function tell(script: Script, to?: Session): Promise<void> {
  const text = await script.text().catch(() => "");
  const end = new Lines(text).at(text.length);
  const map = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(text)?.[1];
  const event = {
    scriptId: script.id,
    url: script.url,
    startLine: 0,
    startColumn: 0,
    endLine: end.line,
    endColumn: end.column,
    executionContextId: script.contextId,
    hash: "",
    buildId: "",
    isLiveEdit: false,
    sourceMapURL: map ?? "",
    hasSourceURL: false,
    isModule: script.isModule,
    length: text.length,
    scriptLanguage: "JavaScript",
    embedderName: script.url,
  } as Protocol.Debugger.ScriptParsedEvent;
  if (to) to.emit("Debugger.scriptParsed", event);
  else agent.emit("Debugger", "Debugger.scriptParsed", event);
}

/** Finds new scripts, and reports them. */
async function look(): Promise<void> {
  const found: (Promise<void> | undefined)[] = [];
  for (const frame of agent.allFrames()) {
    const { win } = frame;
    if (!win) continue;
    const contextId = agent.mainContext(frame).id;
    for (const el of win.document.scripts) {
      if (known.has(el)) continue;
      known.add(el);
      const isModule = el.type === "module";
      const { src, textContent } = el;
      if (src) continue; // listed among the resources
      if (textContent?.trim() && /^$|module|javascript/.test(el.type))
        found.push(add({ url: "", contextId, isModule, text: () => Promise.resolve(textContent) }));
    }
    for (const { type, url } of resourcesOf(frame))
      if (type === "Script")
        found.push(add({ url, contextId, isModule: isModuleOf(win.document, url), text: load(url) }));
  }
  await Promise.all(found);
}

const isModuleOf = (doc: Document, url: string): boolean =>
  [...doc.scripts].some((s) => s.src === url && s.type === "module") || ![...doc.scripts].some((s) => s.src === url);

async function enable(_p: object, s: Session): Promise<Protocol.Debugger.EnableResponse> {
  await Promise.all([...scripts.values()].map((script) => tell(script, s)));
  s.enabled.add("Debugger");
  if (!observer) {
    observer = new MutationObserver((records) => {
      if (records.some((r) => [...r.addedNodes].some((n) => n.nodeName === "SCRIPT"))) void look();
    });
    observer.observe(document, { subtree: true, childList: true });
    document.addEventListener("load", (e) => (e.target as Element).localName === "script" && void look(), true);
  }
  await look();
  return { debuggerId: `${agent.base()}.0` };
}

function scriptOf(id: string): Script {
  const found = scripts.get(id);
  if (!found) throw new CommandError("No script for id: " + id);
  return found;
}

export const debuggerDomain: Handlers<"Debugger"> = {
  enable,
  disable: () => {},
  getScriptSource: async (p) => ({ scriptSource: await scriptOf(p.scriptId).text() }),
  searchInContent: async (p) => search(await scriptOf(p.scriptId).text(), p),
  getPossibleBreakpoints: () => ({ locations: [] }),
};
