// Windows without an address, which their opener writes.

import { app, expect, pathOf, test } from "../fixtures.mjs";

/** What an opener does with a window at once, and what there is in the window in the end: in Chromium, too. */
const drafts = {
  "markup that is written": ["w.document.write('<title>Note</title><h1>Hello</h1>'); w.document.close()", () => [document.title, document.body.innerText], ["Note", "Hello"]],
  "a script that is written": ["w.document.write('<p>a</p><script>document.body.append(opener.document.title, typeof opener.got)<\\/script>'); w.document.close()", () => document.body.lastElementChild.nextSibling.textContent, "Opener"],
  "a handler of load": ["w.document.write('<body onload=\"document.title = 7\">x'); w.document.close()", () => document.title, "7"],
  "elements that are made": ["const b = w.document.createElement('b'); b.textContent = 'made'; w.document.body.append(b); w.document.title = 'T'", () => [document.title, document.body.innerHTML], ["T", "<b>made</b>"]],
  "elements that are kept": ["const b = w.document.createElement('b'); w.document.body.append(b); setInterval(() => { b.textContent = 'later'; }, 300)", () => document.body.innerText, "later"],
  "a listener": ["w.addEventListener('click', () => { w.document.title = 'clicked'; }); w.document.body.innerHTML = '<button>b</button>'", () => {
    document.querySelector("button")?.click();
    return document.title;
  }, "clicked"],
  "a property": ["w.given = { n: 1 }", () => window.given?.n, 1],
  "what comes later": ["setInterval(() => { w.document.body.innerHTML = '<u>then</u>'; }, 300)", () => document.body.innerText, "then"],
};

test("R-393 windows without an address have what their opener writes", async ({ page, context }) => {
  await page.goto(app + pathOf("<title>Opener</title>"));
  for (const [name, [code, read, want]] of Object.entries(drafts)) {
    const opening = context.waitForEvent("page");
    await page.evaluate(`{ const w = open("", "", "width=300"); ${code} }`);
    const opened = await opening;
    await expect.poll(() => opened.evaluate(read), name).toEqual(want);
    expect(opened.url()).toBe("about:blank");
    await opened.close();
  }
});
