// Keeps the proxy's reports of script's requests until their responses come.

import type { ExtraEvent } from "../../wire/proxy";
import { originals } from "../base/originals";
import { isSameServer } from "../base/urls";
import { proxyBase } from "../link/hub";
import { type Asker, type Refusal, isSameOrigin, refusal } from "./cors";
import { added } from "../base/added";
import { EXTRA_MS } from "./extrainfo";

/** An older report belongs to an aborted request, or to one of a worker. In milliseconds. */
const STALE_MS = 1_000;
const MAX = 200;

const early: { key: string; at: number; extra: ExtraEvent }[] = [];
const waiting: { key: string; take(extra?: ExtraEvent): void }[] = [];

const keyOf = (method: string, url: string): string => `${method} ${url.split("#")[0]}`;

/** Takes an event of the proxy. */
export function receiveExtra(extra: ExtraEvent): void {
  const key = keyOf(extra.method, extra.url);
  const i = waiting.findIndex((w) => w.key === key);
  if (i >= 0) return waiting.splice(i, 1)[0].take(extra);
  early.push({ key, at: originals.now(), extra });
  if (early.length > MAX) early.shift();
}

/** The proxy's report of a request whose response has come; undefined if there is none. */
function extraOf(method: string, url: string): Promise<ExtraEvent | undefined> | undefined {
  const base = proxyBase();
  if (!base || !isSameServer(new URL(url), new URL(base))) return undefined;
  const key = keyOf(method, url);
  while (early.length && originals.now() - early[0].at > STALE_MS) early.shift();
  const i = early.findIndex((e) => e.key === key);
  if (i >= 0) return Promise.resolve(early.splice(i, 1)[0].extra);
  return new Promise((resolve) => {
    const own = { key, take: resolve };
    waiting.push(own);
    originals.setTimeout(() => {
      const at = waiting.indexOf(own);
      if (at >= 0) waiting.splice(at, 1);
      resolve(undefined);
    }, EXTRA_MS);
  });
}

/** Why the browser kept a response of the app's server from the script. */
async function refusalOf(method: string, asker: Asker): Promise<Refusal | undefined> {
  if (asker.mode !== "cors" || isSameOrigin(asker)) return undefined;
  const came = (await extraOf(method, asker.url)) ?? (await extraOf("OPTIONS", asker.url));
  const before =
    came && came.method !== method ? "Response to preflight request doesn't pass access control check: " : "";
  return came && refusal(asker, (name) => came.headers[name] ?? null, before);
}

added.proxyReports = { extraOf, refusalOf };
