// What the page tells: console, errors, dialogs, requests.
import assert from "node:assert/strict";
import { app, appPage, text, truth, until } from "../support.mjs";
import { bidi, check } from "./connect.mjs";

check("console", "page.on console", async ({ page }) => {
  const said = [];
  page.on("console", (message) => said.push([message.type(), message.text()]));
  await page.click("#speak");
  const want = [["log", "plain words 7"], ["warn", "careful words"], ["error", "harsh words"]];
  await until(async () => assert.deepEqual(said, want));
});

check("console", "arguments and location", async ({ page }) => {
  const heard = new Promise((resolve) => page.once("console", resolve));
  await page.evaluate(() => console.log("thing", { a: [1] }, document.body));
  const message = await heard;
  assert.equal(message.args().length, 3);
  assert.deepEqual(await message.args()[1].jsonValue(), { a: [1] });
  assert.ok(message.args()[2].asElement());
  const spoken = new Promise((resolve) => page.once("console", resolve));
  await page.click("#speak");
  assert.equal((await spoken).location().url, appPage);
});

check("page error", "page.on pageerror", async ({ page }) => {
  const heard = new Promise((resolve) => page.once("pageerror", resolve));
  await page.click("#break");
  const error = await heard;
  // Over BiDi, Puppeteer has the whole text for the message.
  assert.deepEqual([error.name, error.message], bidi ? ["Error", "TypeError: broken on purpose"] : ["TypeError", "broken on purpose"]);
});

check("page error", "an unhandled rejection", async ({ page }) => {
  const heard = new Promise((resolve) => page.once("pageerror", resolve));
  await page.evaluate(() => { Promise.reject(new Error("left alone")); });
  assert.match((await heard).message, /left alone/);
});

check("dialog", "alert, accepted", async ({ page }) => {
  const asked = [];
  page.on("dialog", async (dialog) => {
    asked.push([dialog.type(), dialog.message()]);
    await dialog.accept();
  });
  await page.click("#alarm");
  assert.deepEqual(asked, [["alert", "The alarm"]]);
  await truth(text("alarm"), "Rang");
});

check("dialog", "confirm and prompt", async ({ page }) => {
  const answers = [(d) => d.accept(), (d) => d.dismiss(), (d) => d.accept("Ada"), (d) => d.dismiss()];
  const asked = [];
  page.on("dialog", (dialog) => {
    asked.push(`${dialog.type()}:${dialog.message()}:${dialog.defaultValue()}`);
    return answers.shift()(dialog);
  });
  const got = await page.evaluate(() => [confirm("Sure?"), confirm("Sure?"), prompt("Name?", "Bob"), prompt("Name?")]);
  assert.deepEqual(got, [true, false, "Ada", null]);
  assert.deepEqual(asked, ["confirm:Sure?:", "confirm:Sure?:", "prompt:Name?:Bob", "prompt:Name?:"]);
});

check("request and response events", "of fetch", async ({ page }) => {
  const log = [];
  const named = (each) => each.url().endsWith("/api/echo");
  page.on("request", (r) => named(r) && log.push(["request", r.method(), r.resourceType(), r.postData(), r.headers()["x-word"]]));
  page.on("response", (r) => named(r) && log.push(["response", r.status(), r.headers()["x-answer"]]));
  page.on("requestfinished", (r) => named(r) && log.push(["finished"]));
  await page.evaluate(() => fetch("/api/echo", { method: "POST", body: "words", headers: { "X-Word": "w" } }).then((r) => r.text()));
  const want = [["request", "POST", "fetch", "words", "w"], ["response", 200, "echo"], ["finished"]];
  await until(async () => assert.deepEqual(log, want));
});

check("request and response events", "of XMLHttpRequest", async ({ page }) => {
  const log = [];
  const named = (each) => each.url().endsWith("/api/echo");
  page.on("request", (r) => named(r) && log.push([r.method(), r.resourceType()]));
  page.on("response", (r) => named(r) && log.push(r.status()));
  await page.evaluate(() => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", "/api/echo");
    request.onload = resolve;
    request.send("x");
  }));
  await until(async () => assert.deepEqual(log, [["PUT", "xhr"], 200]));
});

check("request and response events", "of a failure", async ({ page }) => {
  const failed = new Promise((resolve) => page.once("requestfailed", resolve));
  await page.evaluate(() => fetch("http://127.0.0.1:1/none").catch(() => {}));
  const request = await failed;
  assert.equal(request.url(), "http://127.0.0.1:1/none");
  assert.match(request.failure().errorText, /net::ERR_/);
});

check("response bodies", "response.json and text", async ({ page }) => {
  const [response] = await Promise.all([
    page.waitForResponse(`${app}/api/echo`),
    page.evaluate(() => { fetch("/api/echo", { method: "POST", body: "ähem" }); }),
  ]);
  assert.deepEqual(await response.json(), { method: "POST", body: "ähem", word: "" });
});

check("intercept", "respond, abort, continue", async ({ page }) => {
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const url = request.url();
    if (url.endsWith("/api/made")) return request.respond({ status: 201, contentType: "text/plain", headers: { "X-Made": "up" }, body: "made up" });
    if (url.endsWith("/api/none")) return request.abort();
    if (url.endsWith("/api/echo")) return request.continue({ method: "POST", postData: "changed", headers: { ...request.headers(), "X-Word": "new" } });
    return request.continue();
  });
  const got = await page.evaluate(async () => {
    const made = await fetch("/api/made");
    return [
      [made.status, made.headers.get("X-Made"), await made.text()],
      await fetch("/api/none").catch((error) => error.name),
      await (await fetch("/api/echo")).json(),
    ];
  });
  assert.deepEqual(got, [[201, "up", "made up"], "TypeError", { method: "POST", body: "changed", word: "new" }]);
  page.off("request");
  await page.setRequestInterception(false);
  assert.equal(await page.evaluate(() => fetch("/api/made").then((r) => r.status)), 404);
});

check("intercept", "XMLHttpRequest", async ({ page }) => {
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (request.url().endsWith("/api/made")) return request.respond({ status: 200, contentType: "application/json", body: '{"made":"up"}' });
    return request.continue();
  });
  const got = await page.evaluate(() => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", "/api/made");
    request.responseType = "json";
    request.onload = () => resolve([request.status, request.response]);
    request.send();
  }));
  assert.deepEqual(got, [200, { made: "up" }]);
});
