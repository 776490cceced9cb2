// The commands that the Host answers itself; all others go to the agent.

import type { Params, Protocol } from "../cdp";
import type { Handled } from "../methods";
import type { Json } from "../wire/cdp";
import { serverError } from "./channel";
import { isDataDocument } from "./datadocument";
import { notAllowed, STUCK_MS } from "./navigation";
import { done, type Session } from "./session";
import type { Target } from "./target";
import { SUCCESSOR_MS } from "./targetview";
import { type Carried, type Reply, read } from "./text";

/** Answers one command of a session, now or later. */
type Handler<P = Json> = (t: Target, s: Session, params: P, reply: (r: Reply) => void) => void;

const ok: Handler<object> = (_t, _s, _p, reply) => reply({ result: {} });
const reveal: Handler<object> = (t, _s, _p, reply) =>
  void done(t.owner.ask({ what: "reveal", targetId: t.id })).then(reply);

/** Reloads the document without the help of its agent, which only passes on what the Clients' sessions have set. */
function reload(t: Target, session: Session, reply: (r: Reply) => void): void {
  const url = t.link ? t.info.url : t.back;
  const made = isDataDocument(url) && t.isMade();
  if (!made && !t.navigation.mayEnter(url)) return reply({ error: serverError(notAllowed(url, t.origins)) });
  const lead = first(() => {
    t.expect(SUCCESSOR_MS);
    t.owner.env.post({ do: "navigate", targetId: t.id, url });
    reply({ result: {} });
  });
  if (!made || !t.link) return lead({});
  setTimeout(() => lead({}), STUCK_MS);
  t.submit({ session, method: "Page.navigate", params: { url, led: true }, reply: lead });
}

/** Passes only the first answer on. */
function first(reply: (r: Reply) => void): (r: Reply) => void {
  let answered = false;
  return (r) => {
    if (!answered) reply(r);
    answered = true;
  };
}

/** The methods: Target.activateTarget comes here from local sessions, other methods of browser.ts do not. */
type Own = Exclude<Handled["host"], Handled["host, without a session"]> | "Target.activateTarget";
/** Handlers typed by the params of their methods. */
type Handlers = { [M in Own]: Handler<Params<M>> };

const handlers = new Map(
  Object.entries<Handler<never>>({
    "Page.navigate": (t, session, params, reply) => {
      if (params.frameId === undefined || params.frameId === t.id) t.navigation.start(session, params, reply);
      else t.submit({ session, method: "Page.navigate", params, reply });
    },
    "Page.reload": (t, session, params, reply) => {
      const { link } = t;
      if (!link || t.isMade()) return reload(t, session, reply);
      // Chromium answers before the document goes, and Clients wait for that.
      const once = first(reply);
      const stuck = setTimeout(() => t.link === link && reload(t, session, once), STUCK_MS);
      t.submit({
        session,
        method: "Page.reload",
        params,
        reply: (r) => {
          clearTimeout(stuck);
          once(r);
        },
        kept: {},
      });
    },
    "Page.bringToFront": reveal,
    "Page.close": (t, session, params, reply) => {
      if (!t.owner.identity.hooks.includes("Target.closeTarget")) {
        const text = "Page.close is not possible in an embedded frame: this Host page closes no Targets";
        return reply({ error: serverError(text) });
      }
      reply({ result: {} }); // the session ends with the Target
      const close = (): void => void t.owner.ask({ what: "close", targetId: t.id }).catch(() => {});
      if (!t.link?.extended) return close();
      t.closing = true; // the agent says when: the page may ask first
      const stuck = setTimeout(close, STUCK_MS);
      t.submit({
        session,
        method: "Page.close",
        params,
        reply: (r) => {
          clearTimeout(stuck);
          if (r.error) close();
        },
      });
    },
    "Emulation.setDeviceMetricsOverride": (t, s, p, reply) => void t.emulation.setSize(s, p).then(reply),
    "Emulation.clearDeviceMetricsOverride": (t, s, _p, reply) => void t.emulation.clearSize(s).then(reply),
    "Emulation.setEmulatedMedia": (t, s, p, reply) => void t.emulation.setMedia(s, p).then(reply),
    // The hub answers these methods itself. They come here only from local sessions.
    "Target.getTargetInfo": (t, _s, _p, reply) => reply({ result: { targetInfo: targetInfo(t) } }),
    "Target.activateTarget": reveal,
    "Target.setAutoAttach": (t, session, params, reply) => {
      if (!session.consumer.opens || (t.link && !t.link.extended)) return reply({ result: {} }); // there is nothing to attach to
      t.submit({ session, method: "Target.setAutoAttach", params, reply });
    },
    "Target.setDiscoverTargets": ok,
  } satisfies Handlers),
);

/** Carries out a command. It is answered exactly once, unless its session ends before. */
export function carryOut(
  t: Target,
  session: Session,
  method: string,
  params: Carried,
  reply: (r: Reply) => void,
): void {
  const answer = (r: Reply): void => {
    if (!session.over) reply(r);
  };
  const handler = session.ofWorker ? undefined : handlers.get(method);
  if (handler) handler(t, session, read(params) as never, answer);
  else t.submit({ session, method, params, reply: answer });
}

function targetInfo(t: Target): Protocol.Target.TargetInfo {
  return { ...t.info, type: "page", attached: t.sessions.size > 0, canAccessOpener: false };
}
