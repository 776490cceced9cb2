// The resources that the documents have loaded, and their contents, from where the browser has kept them.

import { base64 } from "../../base64";
import type { Protocol } from "../../cdp";
import { CommandError, agent } from "../agent";
import { search } from "./search";

type Resource = Protocol.Page.FrameResource;
type Frame = ReturnType<typeof agent.mainFrame>;

const TYPES: Record<string, [Protocol.Network.ResourceType, string]> = {
  script: ["Script", "text/javascript"],
  css: ["Stylesheet", "text/css"],
  img: ["Image", "image/png"],
  image: ["Image", "image/png"],
  input: ["Image", "image/png"],
  font: ["Font", "font/woff2"],
  video: ["Media", "video/mp4"],
  audio: ["Media", "audio/mpeg"],
};

const EXTENSIONS: Record<string, [Protocol.Network.ResourceType, string]> = {
  js: TYPES.script,
  mjs: TYPES.script,
  css: TYPES.css,
  png: TYPES.img,
  jpg: ["Image", "image/jpeg"],
  jpeg: ["Image", "image/jpeg"],
  gif: ["Image", "image/gif"],
  webp: ["Image", "image/webp"],
  svg: ["Image", "image/svg+xml"],
  woff: ["Font", "font/woff"],
  woff2: TYPES.font,
  ttf: ["Font", "font/ttf"],
};

function typeOf(e: PerformanceResourceTiming): [Protocol.Network.ResourceType, string] | undefined {
  const ext = /\.(\w+)(?:[?#]|$)/.exec(e.name.slice(e.name.lastIndexOf("/")))?.[1] ?? "";
  return EXTENSIONS[ext.toLowerCase()] ?? TYPES[e.initiatorType];
}

/** The resources of a frame's document, each once. */
export function resourcesOf(frame: Frame): Resource[] {
  const { win } = frame;
  if (!win) return [];
  const found = new Map<string, Resource>();
  for (const e of win.performance.getEntriesByType("resource") as PerformanceResourceTiming[]) {
    const type = typeOf(e);
    if (type && !agent.isBundle(e.name))
      found.set(e.name, { url: e.name, type: type[0], mimeType: type[1], contentSize: e.decodedBodySize });
  }
  for (const sheet of win.document.styleSheets)
    if (sheet.href) found.set(sheet.href, { url: sheet.href, type: "Stylesheet", mimeType: "text/css" });
  for (const { src } of win.document.scripts)
    if (src && !/\/agent\.m?js$/.test(src)) found.set(src, { url: src, type: "Script", mimeType: "text/javascript" });
  return [...found.values()];
}

function tree(frame: Frame): Protocol.Page.FrameResourceTree {
  const childFrames = agent.allFrames().flatMap((f) => (f.parent === frame ? [tree(f)] : []));
  return {
    frame: agent.describeFrame(frame),
    ...(childFrames.length && { childFrames }),
    resources: resourcesOf(frame),
  };
}

/** Page.getResourceTree. */
export const resourceTree = (): Protocol.Page.GetResourceTreeResponse => ({ frameTree: tree(agent.mainFrame()) });

const textual = (type: string): boolean => /^text\/|json|javascript|ecmascript|xml/.test(type);

async function content(p: { frameId: string; url: string }): Promise<Protocol.Page.GetResourceContentResponse> {
  const frame = agent.allFrames().find((f) => f.id === p.frameId);
  if (!frame?.win) throw new CommandError("No frame for given id found");
  const own = agent.describeFrame(frame).url;
  if (p.url !== own && !resourcesOf(frame).some((r) => r.url === p.url))
    throw new CommandError("No resource with given URL found");
  // The response to a form submission cannot be requested again.
  const r = await agent.fetchKept(p.url).catch(() => undefined);
  if (!r?.ok)
    throw new CommandError("Unable to load content: the browser has not kept it, or another origin forbids to read it");
  if (p.url === own || textual(r.headers.get("content-type") ?? ""))
    return { content: await r.text(), base64Encoded: false };
  return { content: base64(new Uint8Array(await r.arrayBuffer())), base64Encoded: true };
}

/** Page.getResourceContent. */
export const resourceContent = content;

/** Page.searchInResource. */
export async function searchInResource(
  p: Protocol.Page.SearchInResourceRequest,
): Promise<Protocol.Page.SearchInResourceResponse> {
  const c = await content(p);
  return c.base64Encoded ? { result: [] } : search(c.content, p);
}
