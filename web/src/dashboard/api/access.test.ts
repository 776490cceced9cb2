/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { access, keepToken, openHandoff, takeFromAddress } from "./access";

// What a link asks the hub, and what becomes of it.

/** A tab that was opened by a link, with a hub that answers with these statuses, one after the other. */
function tab(hash: string, answers: { status: number; body: string }[]) {
  const stored = new Map<string, string>();
  const kept = new Map<string, string>();
  const sent: { url: string; token: string; body: string }[] = [];
  const shown: string[] = [];
  Object.assign(globalThis, {
    location: { hash, pathname: "/", search: "" },
    history: { state: null, replaceState: (_state: unknown, _title: string, url: string) => shown.push(url) },
    localStorage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
    },
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
    fetch: async (url: string, options: { headers: Record<string, string>; body: string }) => {
      sent.push({ url, token: options.headers.Authorization ?? "", body: options.body });
      const { status, body } = answers.shift()!;
      return new Response(body, { status });
    },
  });
  return { sent, shown };
}

const KEY = { status: 200, body: '{"key":"handoff.K"}' };

test("a hub without tokens opens a link at once", async () => {
  const { sent, shown } = tab("#handoff=T", [KEY]);
  assert.deepEqual(await takeFromAddress("/hub/a", false), { refusal: "", ticket: "" });
  assert.deepEqual(sent, [{ url: "/hub/a/ui/api/handoff", token: "", body: '{"ticket":"T"}' }]);
  assert.deepEqual(shown, ["/"]);
  assert.deepEqual(access(), { secret: "handoff.K", handoff: true });
});

test("a hub with tokens asks for one, and for another if it is the agent's", async () => {
  const refused = { status: 403, body: "The token that has asked for this handoff cannot open its link.\n" };
  const { sent } = tab("#handoff=T", [{ status: 401, body: "A token is missing." }, refused, KEY]);
  assert.deepEqual(await takeFromAddress("", false), { refusal: "", ticket: "T" });
  keepToken("agent");
  assert.deepEqual(await openHandoff("", "T", false), { refusal: refused.body.trim(), ticket: "T" });
  keepToken("person");
  assert.deepEqual(await openHandoff("", "T", false), { refusal: "", ticket: "" });
  assert.deepEqual(
    sent.map((s) => s.token),
    ["", "Bearer agent", "Bearer person"],
  );
  assert.deepEqual(access(), { secret: "handoff.K", handoff: true });
});

test("a link that was used opens nothing, whatever the token", async () => {
  tab("#handoff=T", [{ status: 404, body: "This link was used already." }]);
  assert.deepEqual(await takeFromAddress("", false), { refusal: "This link was used already.", ticket: "" });
});

test("a link opens again in the browser that has opened it, and asks for a token first where it needs one", async () => {
  const { sent } = tab("#handoff=T", [KEY]);
  assert.deepEqual(await takeFromAddress("", true), { refusal: "", ticket: "T" });
  assert.deepEqual(sent, []);
  keepToken("person");
  for (let times = 0; times < 2; times++)
    assert.deepEqual(await openHandoff("", "T", true), { refusal: "", ticket: "" });
  assert.equal(sent.length, 1);
  assert.deepEqual(access(), { secret: "handoff.K", handoff: true });
});
