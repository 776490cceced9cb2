// Documents that Chromium shows: the same in a tab at the app itself and through the proxy, where they are driven.

import zlib from "node:zlib";
import { chromium } from "@playwright/test";
import { app, expect, pathOf, test, upstream } from "../fixtures.mjs";

const page1 = "<!doctype html><title>t</title><p>grün</p>";
const xhtml = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>&a;</p></body></html>';
const subset = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd" [ <!-- ]> --> <!ENTITY a "<b>x</b>"> ]>';
const utf16 = (text, mark) => Buffer.concat([Buffer.from(mark), Buffer.from(text, "utf16le")]);
const swapped = (b) => Buffer.from(b).swap16();
const coded = (coding) => [`Content-Encoding: ${coding}`];
const documents = {
  gzip: [zlib.gzipSync(page1), {}, coded("gzip")],
  "x-gzip": [zlib.gzipSync(page1), {}, coded("x-gzip")],
  br: [zlib.brotliCompressSync(page1), {}, coded("br")],
  deflate: [zlib.deflateSync(page1), {}, coded("deflate")],
  "raw deflate": [zlib.deflateRawSync(page1), {}, coded("deflate")],
  "gzip, br": [zlib.brotliCompressSync(zlib.gzipSync(page1)), {}, coded("gzip, br")],
  "an unknown coding": [page1, {}, coded("unknown")],
  "JSON in br": [zlib.brotliCompressSync('{"a":1}'), { type: "application/json" }, coded("br")],
  "a long comment": [`<!--${"x".repeat(70_000)}-->${page1}`],
  quirks: ["<title>t</title><p>x"],
  "UTF-16 with a mark": [utf16(page1, [0xff, 0xfe]), { type: "text/html" }],
  "UTF-16BE with a mark": [swapped(utf16(page1, [0xff, 0xfe])), { type: "text/html" }],
  "UTF-16 by header": [utf16(page1, []), { type: "text/html; charset=utf-16le" }],
  "text in UTF-16": [utf16("grün <b>", [0xff, 0xfe]), { type: "text/plain; charset=utf-16le" }],
  "a late meta": [Buffer.from(`<!doctype html><p>${"x".repeat(700)}<meta charset=koi8-r>\xc1`, "latin1"), { type: "text/html" }],
  "a meta in the head": [Buffer.from("<!doctype html><meta charset=windows-1251><p>\xe4", "latin1"), { type: "text/html" }],
  // Chromium guesses by pairs of letters: of one word it is not sure, and the agent's tag, which
  // differs at each load, tips it (docs/proxy.md).
  "no charset": [Buffer.from("<!doctype html><p>Die Vögel über den grünen Hügeln müssen früh nach Süden; schöne Grüße, die Mädchen", "latin1"), { type: "text/html" }],
  "no type": [page1, { type: " " }],
  "XHTML with an internal subset": [subset + xhtml, { type: "application/xhtml+xml" }],
  "XHTML as XML": [`<?xml version="1.0"?>\n<!-- a --><?b c?>${xhtml.replace("&a;", "y")}`, { type: "text/xml" }],
  SVG: ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>t</title><rect width="9" height="9"/></svg>', { type: "image/svg+xml" }],
};
const shown = () => [
  document.compatMode,
  document.characterSet,
  document.contentType,
  document.title,
  document.documentElement.tagName,
  document.body?.textContent?.trim().slice(-40),
  document.documentElement.querySelectorAll("*").length,
];

test("R-362 documents are those of Chromium", async ({ page }) => {
  test.setTimeout(120_000);
  const browser = await chromium.connectOverCDP(process.env.BROWSER);
  const tab = await browser.contexts()[0].newPage();
  const got = {};
  const want = {};
  for (const [name, [body, more, h]] of Object.entries(documents)) {
    const path = pathOf("", { ...more, h, bytes: Buffer.from(body).toString("base64") });
    await tab.goto(upstream + path);
    want[name] = await tab.evaluate(shown);
    await page.goto(app + path);
    got[name] = await page.evaluate(shown);
  }
  await tab.close();
  await browser.close();
  // Chromium's page around text and JSON is not the proxy's: docs/proxy.md.
  for (const name of ["JSON in br", "text in UTF-16"]) for (const list of [got, want]) list[name] = list[name][5];
  expect(got).toEqual(want);
});

test("R-364 names, passwords and challenges", async ({ page }) => {
  const ask = () => page.evaluate(async () => (await (await fetch("/echo")).json()).headers);
  const [response, warning] = await Promise.all([
    page.goto(app + pathOf("<p>denied", { status: 401, h: ['WWW-Authenticate: Basic realm="r"'] })),
    page.waitForEvent("console", (m) => m.text().includes("setExtraHTTPHeaders")),
  ]);
  expect([response.status(), await page.innerText("p")]).toEqual([401, "denied"]);
  expect(warning.text()).toContain("a name and a password");
  expect((await ask()).Authorization).toBeUndefined();
  await page.goto(`${app.replace("://", "://ann:p%3Aq@")}/echo`);
  expect(JSON.parse(await page.innerText("pre")).headers.Authorization).toEqual(["Basic YW5uOnA6cQ=="]);
  expect((await ask()).Authorization).toEqual(["Basic YW5uOnA6cQ=="]);
});

test("R-364 the referrer of goto", async ({ page }) => {
  await page.goto(app + pathOf("<p>before"));
  await page.goto(`${app}/echo`);
  expect([JSON.parse(await page.innerText("pre")).headers.Referer, await page.evaluate("document.referrer")]).toEqual([undefined, ""]);
  await page.goto(app + pathOf("<p>between"));
  await page.goto(`${app}/echo`, { referer: `${app}/given` });
  expect(JSON.parse(await page.innerText("pre")).headers.Referer).toEqual([`${upstream}/given`]);
});

test("R-369 a child frame of a data: address is driven, in a page of the app and in a blank one", async ({ page }) => {
  const child = `data:text/html,<!doctype html><h1>World</h1><script>quirks = document.compatMode</script>`;
  const coded = `data:text/html;charset=utf-8;base64,${Buffer.from("<p>grün</p>").toString("base64")}`;
  for (const address of ["about:blank", `${app}/page`]) {
    await page.goto(address);
    await page.setContent(`<iframe src="${child}"></iframe><iframe src="${coded}"></iframe>`);
    await expect(page.frameLocator("iframe").first().locator("h1")).toHaveText("World");
    await expect(page.frameLocator("iframe").nth(1).locator("p")).toHaveText("grün");
    expect(page.frames().map((f) => decodeURI(f.url()))).toEqual([address, child, coded]);
    expect(await page.frames()[1].evaluate("[quirks, document.scripts.length]")).toEqual(["CSS1Compat", 1]);
    expect(await page.evaluate("document.querySelector('iframe').getAttribute('src')")).toBe(child);
  }
});
