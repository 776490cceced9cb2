// Browser-level methods that the Host answers: those that need the page, or
// the documents of all Targets.

import type { Method, Params, Protocol } from "../cdp";
import type { Handled } from "../methods";
import type { Answer, Json } from "../wire/cdp";
import type { Ask } from "../wire/core";
import { hexId } from "./channel";
import { type Consumer, Session } from "./session";
import type { Target } from "./target";
import { plain, type Reply } from "./text";

/** How long a method of all Targets waits for one document: a page that is busy for longer counts as stuck. */
export const ANSWER_MS = 2_000;

/** What browser-level methods need of the Core. */
interface Targets {
  readonly targets: ReadonlyMap<string, Target>;
  ask(ask: Ask): Promise<Json>;
  command(session: Session, method: string, params: Json, reply: (r: Reply) => void): void;
}

/** Answers one method. `params` come from the hub. */
type Answerer<P> = (core: Targets, params: P) => Promise<Json>;
type Hooked = "Target.closeTarget" | "Target.createTarget";
/** Answerers typed by the params of their methods. */
type Answerers<M extends Method> = { [Name in M]: Answerer<Params<Name>> };

/** Methods that every Host handles, for hubs with the feature "handles+". */
export const methods = {
  "Browser.getWindowBounds": async (core: Targets) => ({ bounds: await core.ask({ what: "window" }) }),
  "Browser.getWindowForTarget": async (core: Targets) => ({ windowId: 1, bounds: await core.ask({ what: "window" }) }),
  "Storage.clearCookies": async (core: Targets) => {
    const { silent } = await everywhere(core, "Storage.clearCookies", {});
    if (silent.length) throw silence(silent);
    return {};
  },
  "Storage.getCookies": async (core: Targets) => {
    const { results, silent } = await everywhere(core, "Storage.getCookies", {});
    return { cookies: unique(results), ...(silent.length && { unanswered: silent.map((t) => t.id) }) };
  },
  "Storage.setCookies": setCookies,
  "Target.activateTarget": async (core: Targets, { targetId }: Protocol.Target.ActivateTargetRequest) => {
    if (!core.targets.has(targetId)) throw new Error("No target with given id found");
    return core.ask({ what: "reveal", targetId });
  },
} satisfies Answerers<Exclude<Handled["host, without a session"], Hooked>> as Record<string, Answerer<never>>;

/** Methods that a Host handles if its application has the hook for them. */
export const hooked = {
  "Target.closeTarget": async (core: Targets, { targetId }: Protocol.Target.CloseTargetRequest) => {
    await core.ask({ what: "close", targetId });
    return { success: true };
  },
  "Target.createTarget": create,
} satisfies Answerers<Hooked> as Record<string, Answerer<never>>;

/**
 * Creates a Target by the application's hook. If no agent answers in time (SUCCESSOR_MS, and SETTLE_MS after a load),
 * the Target is closed again.
 */
async function create(core: Targets, params: Protocol.Target.CreateTargetRequest): Promise<Json> {
  const { targetId } = (await core.ask({ what: "create", params })) as unknown as Protocol.Target.CreateTargetResponse;
  const target = core.targets.get(targetId);
  if (await target?.connected()) return { targetId };
  const why = target?.reason() || "it has been closed";
  await core.ask({ what: "close", targetId }).catch(() => {});
  throw new Error(`The new Target's Frame Agent did not connect: ${why}`);
}

// ---------------------------------------------------------------- cookies

/** Joins the cookies that the documents see, each those of its own site. */
function unique(answers: Json[]): Protocol.Network.Cookie[] {
  const found = new Map<string, Protocol.Network.Cookie>();
  for (const { cookies } of answers as Partial<Protocol.Storage.GetCookiesResponse>[]) {
    for (const c of cookies ?? []) found.set([c.domain, c.path, c.name].join("\n"), c);
  }
  return [...found.values()];
}

/** Sets each cookie in a document of its site. */
async function setCookies(core: Targets, params: Protocol.Storage.SetCookiesRequest): Promise<Json> {
  for (const cookie of params.cookies ?? []) {
    const host = String(cookie.domain || new URL(cookie.url ?? "").hostname).replace(/^\./, "");
    const target = connected(core).find((t) => isBelow(new URL(t.info.url).hostname, host));
    if (!target)
      throw new Error(`A cookie of ${host} is not possible in an embedded frame: no frame of that site is open`);
    const reply = await once(core, target, "Storage.setCookies", { cookies: [cookie] });
    if (!reply) throw silence([target]);
    if (reply.error) throw new Error(reply.error.message);
  }
  return {};
}

const isBelow = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

const connected = (core: Targets): Target[] => [...core.targets.values()].filter((t) => t.link);

/** The results of a command in every document that answers it, and the Targets that do not answer in time. */
async function everywhere(core: Targets, method: string, params: Json): Promise<{ results: Json[]; silent: Target[] }> {
  const asked = connected(core);
  const replies = await Promise.all(asked.map((t) => once(core, t, method, params)));
  const failed = replies.find((r) => r?.error);
  if (failed?.error && replies.every((r) => r?.error)) throw new Error(failed.error.message);
  return {
    results: replies.flatMap((r) => (r?.result ? [r.result] : [])),
    silent: asked.filter((_, i) => !replies[i]),
  };
}

function silence(targets: Target[]): Error {
  const names = targets.map((t) => `${t.id} (${t.info.url})`).join(", ");
  return new Error(
    `No answer within ${ANSWER_MS} ms: the page is busy or stuck at target ${names}. Close or reload it`,
  );
}

/** A consumer that ignores events. */
const DEAF: Consumer = { event: () => {}, events: () => {}, ended: () => {} };

/** Sends one command in a session of its own; undefined without an answer in time. */
function once(core: Targets, target: Target, method: string, params: Json): Promise<Answer | undefined> {
  const session = new Session(`host-${hexId(32)}`, target.id, DEAF);
  target.attach(session);
  return new Promise((resolve) => {
    const end = (reply?: Reply): void => {
      clearTimeout(timer);
      target.detach(session);
      resolve(reply && plain(reply));
    };
    const timer = setTimeout(end, ANSWER_MS);
    core.command(session, method, params, end);
  });
}
