// What the checks of a Node client need: the table, and the witness in the page.
// The Go test that runs them sets
//
//	CDP_ENDPOINT  where the client connects, http://127.0.0.1:PORT
//	APP           the origin of the app
//	TARGET        hub, browser or chromium
//	PRIVILEGED    false: the client's token does not allow uploads by path
//	OUTCOMES      the file that gets one line of JSON for each check
//	SCRATCH       a folder for files
//	LACKS         the features that the client has no command for: their checks do not run
//	PATIENCE      ms that anything may take, where the network fails
//	CHECKS        a regular expression for the names of the checks to run, if not all
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { patience } from "../../patience.mjs";

export const { CDP_ENDPOINT: endpoint, APP: app, SCRATCH: scratch } = process.env;
export const privileged = process.env.PRIVILEGED !== "false";
export const throughHub = process.env.TARGET === "hub";
export const appPage = `${app}/app.html`;

let stuck = 0; // how often in a row there was no page to check
const table = []; // [name, body], in the order of declaration
const limit = 10 * patience(6_000); // ms for one check
const only = new RegExp(process.env.CHECKS ?? ""); // names of the checks to run
const lacks = (process.env.LACKS ?? "").split(",");

/**
 * checks returns the function that declares a client's checks:
 *
 *	check(feature, name, run, differs?)
 *
 * open resolves to the argument of run, whose close() is called in the end: no check
 * inherits the connection of another. differs is { result, reason, run }: what is true
 * of an iframe instead.
 */
export function checks(open) {
  return (feature, name, run, differs) => {
    const outcome = { feature, test: name, result: "works", reason: "" };
    if (differs && throughHub) {
      Object.assign(outcome, { result: differs.result, reason: differs.reason });
      run = differs.run;
    }
    if (!only.test(name) || lacks.includes(feature)) return;
    table.push([name, async () => {
      try {
        await once(open, run);
      } catch (error) {
        Object.assign(outcome, { result: "fails", reason: "", error: error.stack ?? String(error) });
        throw error;
      } finally {
        appendFileSync(process.env.OUTCOMES, JSON.stringify(outcome) + "\n");
      }
    }]);
  };
}

/** run runs what has been declared, one after another: Node 18 starts tests of the top level all at once. */
export function run(client) {
  test(client, async (t) => {
    for (const [name, body] of table) {
      await t.test(name, body);
      if (stuck > 2) throw new Error("the endpoint has stopped to answer");
    }
  });
}

async function once(open, run) {
  stuck++;
  const opened = await within(limit, open(), "the opening");
  stuck = 0;
  try {
    await within(limit, run(opened));
  } finally {
    await opened.close();
  }
}

/** within rejects when the promise takes longer than ms. */
export async function within(ms, promise, what = "the check") {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** refused wants the refusal of what needs scope privileged. */
export const refused = (promise) => assert.rejects(promise, /needs scope privileged/);

/** What is said of a method that no browser has. */
export const noSuchMethod = privileged ? /'Page\.noSuchMethod' wasn't found/ : /Page\.noSuchMethod needs scope privileged/;

/** ask has the newest document at path answer a question in JavaScript. */
export async function ask(question, path = "/app.html") {
  const answer = await fetch(`${app}/api/ask`, { method: "POST", body: JSON.stringify({ page: path, question }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}

/** truth asks until the answer is want: what happened, told by the page itself. */
export async function truth(question, want, path) {
  await until(async () => assert.deepEqual(await ask(question, path), want, question));
}

/** until repeats done until it does not throw. */
export async function until(done, ms = patience(30_000)) {
  for (const end = Date.now() + ms; ;) {
    try {
      return await done();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** text, value and seen are questions for truth. */
export const text = (id) => `document.getElementById("${id}").textContent`;
export const value = (id) => `document.getElementById("${id}").value`;
export const seen = (id, ...types) =>
  `seen.filter((e) => e[1] === "${id}" && ${JSON.stringify(types)}.includes(e[0])).map((e) => e[0])`;

/** isPNG checks the signature and returns [width, height]. */
export function isPNG(bytes) {
  const png = Buffer.from(bytes);
  assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
