// Requests, routes, cookies, storage.

import { app, expect, other, pageOf, test } from "../fixtures.mjs";

const get = (page, url, options) => page.evaluate(async ([u, o]) => (await fetch(u, o)).text(), [url, options]);
/** The same by XMLHttpRequest: [status, text, a header]. */
const xhr = (page, url, method = "GET", body = undefined) => page.evaluate(([u, m, b]) => new Promise((resolve) => {
  const x = new XMLHttpRequest();
  x.open(m, u);
  x.onload = () => resolve([x.status, x.responseText, x.getResponseHeader("x-echo")]);
  x.onerror = () => resolve("error");
  x.send(b);
}), [url, method, body]);

test("request and response events: of a fetch", async ({ page }) => {
  const [request, response] = await Promise.all([
    page.waitForRequest("**/echo"), page.waitForResponse("**/echo"), get(page, "/echo", { method: "POST", body: "sent", headers: { "x-a": "1" } }),
  ]);
  expect(request.method()).toBe("POST");
  expect(request.postData()).toBe("sent");
  expect(request.headers()["x-a"]).toBe("1");
  expect(request.resourceType()).toBe("fetch");
  expect(request.frame()).toBe(page.mainFrame());
  expect(response.status()).toBe(200);
  expect(response.headers()["x-echo"]).toBe("yes");
  expect(response.request()).toBe(request);
});

test("request and response events: of an XMLHttpRequest", async ({ page }) => {
  const [request, response] = await Promise.all([
    page.waitForRequest("**/echo"), page.waitForResponse("**/echo"), xhr(page, "/echo", "PUT", "x"),
  ]);
  expect([request.method(), request.resourceType(), request.postData()]).toEqual(["PUT", "xhr", "x"]);
  expect(response.headers()["x-echo"]).toBe("yes");
});

test("request and response events: of the document", async ({ page }) => {
  const got = [];
  page.on("request", (r) => r.isNavigationRequest() && got.push(["request", r.resourceType()]));
  page.on("response", (r) => r.request().isNavigationRequest() && got.push(["response", r.status()]));
  page.on("requestfinished", (r) => r.isNavigationRequest() && got.push(["finished"]));
  await page.goto(pageOf("<p>x</p>"));
  await expect.poll(() => got).toEqual([["request", "document"], ["response", 200], ["finished"]]);
});

test("request and response events: of what elements load", async ({ page }) => {
  const types = [];
  page.on("requestfinished", (r) => types.push([new URL(r.url()).pathname, r.resourceType()]));
  await page.goto(pageOf("<script src=/script.js></script><img src=/pixel.png>", { head: "<link rel=stylesheet href=/style.css>" }));
  await expect.poll(() => Object.fromEntries(types)).toMatchObject({ "/script.js": "script", "/pixel.png": "image", "/style.css": "stylesheet" });
});

test("request and response events: of one that fails", async ({ page }) => {
  const failed = page.waitForEvent("requestfailed");
  await page.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => {}));
  expect((await failed).failure().errorText).toContain("net::ERR_");
});

test("request and response events: finished, in order", async ({ page }) => {
  const got = [];
  for (const name of ["request", "response", "requestfinished"]) page.on(name, (e) => e.url().endsWith("/json") && got.push(name));
  await get(page, "/json");
  await expect.poll(() => got).toEqual(["request", "response", "requestfinished"]);
});

test("response bodies: text, JSON and bytes", async ({ page }) => {
  const [response] = await Promise.all([page.waitForResponse("**/json"), get(page, "/json")]);
  expect(await response.json()).toEqual({ a: 1 });
  expect((await response.body()).length).toBe(7);
  expect(await response.text()).toBe('{"a":1}');
});

test("response bodies: of the document", async ({ page }) => {
  const response = await page.goto(pageOf("<p>body text</p>"));
  expect(await response.text()).toContain("<p>body text</p>");
});

test("intercept: a fetch is fulfilled", async ({ page }) => {
  await page.route("**/api", (route) => route.fulfill({ status: 201, json: { made: "up" }, headers: { "x-mine": "1" } }));
  const got = await page.evaluate(async () => {
    const r = await fetch("/api");
    return [r.status, r.headers.get("x-mine"), await r.json(), r.url];
  });
  expect(got).toEqual([201, "1", { made: "up" }, `${app}/api`]);
});

test("intercept: an XMLHttpRequest is fulfilled", async ({ page }) => {
  await page.route("**/api", (route) => route.fulfill({ body: "made up", headers: { "x-echo": "mine" } }));
  expect(await xhr(page, "/api")).toEqual([200, "made up", "mine"]);
});

test("intercept: a request is aborted", async ({ page }) => {
  await page.route("**/api", (route) => route.abort());
  expect(await page.evaluate(() => fetch("/api").catch((e) => e.name))).toBe("TypeError");
  expect(await xhr(page, "/api")).toBe("error");
});

test("intercept: a request goes on, changed", async ({ page }) => {
  await page.route("**/echo", (route) => route.continue({ method: "POST", postData: "changed", headers: { ...route.request().headers(), "x-b": "2" } }));
  const got = JSON.parse(await get(page, "/echo"));
  expect([got.method, got.body, got.headers["X-B"]]).toEqual(["POST", "changed", ["2"]]);
  expect(JSON.parse((await xhr(page, "/echo"))[1]).body).toBe("changed");
});

test("intercept: the answer of the server, changed", async ({ page }) => {
  await page.route("**/json", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), b: 2 } });
  });
  expect(JSON.parse(await get(page, "/json"))).toEqual({ a: 1, b: 2 });
});

test("intercept: patterns, order and how often", async ({ page }) => {
  await page.route(/\/api\/.*/, (route) => route.fulfill({ body: "any" }));
  await page.route("**/api/one", (route) => route.fulfill({ body: "one" }), { times: 1 });
  await page.route("**/api/two", (route) => route.fallback());
  expect(await get(page, "/api/one")).toBe("one");
  expect(await get(page, "/api/one")).toBe("any");
  expect(await get(page, "/api/two")).toBe("any");
  await page.unroute(/\/api\/.*/);
  expect(await get(page, "/json")).toBe('{"a":1}');
});

test("intercept: in frames too", async ({ page }) => {
  await page.route("**/api", (route) => route.fulfill({ body: "mine" }));
  await page.goto(pageOf(`<iframe src="${pageOf("")}"></iframe>`));
  expect(await page.frames()[1].evaluate(async () => (await fetch("/api")).text())).toBe("mine");
});

test("intercept: answers for another origin are judged by CORS", async ({ page }) => {
  const allow = (headers) => page.route("**/api*", (route) => route.fulfill({ body: "made", headers }));
  const ask = (options) => page.evaluate(([u, o]) => fetch(u, o).then(
    async (r) => [r.type, r.headers.get("x-mine"), r.headers.get("x-open"), await r.text()], (e) => e.message), [`${other}/api`, options]);
  await allow({ "access-control-allow-origin": app, "access-control-expose-headers": "x-open", "x-mine": "1", "x-open": "2" });
  expect(await ask()).toEqual(["cors", null, "2", "made"]);
  expect(await xhr(page, `${other}/api`)).toEqual([200, "made", null]);
  expect(await ask({ mode: "no-cors" })).toEqual(["opaque", null, null, ""]);
  const said = page.waitForEvent("console");
  expect(await ask({ credentials: "include" })).toBe("Failed to fetch");
  expect((await said).text()).toContain(`Access to fetch at '${other}/api' from origin '${app}' has been blocked by CORS policy: The value of the 'Access-Control-Allow-Credentials'`);
  await allow({ "access-control-allow-origin": "http://elsewhere.test" });
  const failed = page.waitForEvent("requestfailed");
  expect(await ask()).toBe("Failed to fetch");
  expect((await failed).failure().errorText).toBe("net::ERR_FAILED");
  expect(await xhr(page, `${other}/api`)).toBe("error");
});

/** Starts a worker of this source and waits until Playwright knows of it. */
const work = async (page, source) => {
  const coming = page.waitForEvent("worker");
  await page.evaluate((s) => { window.worker = new Worker(URL.createObjectURL(new Blob([s], { type: "text/javascript" }))); }, source);
  return coming;
};

test("request and response events: of a worker", async ({ page }) => {
  const coming = page.waitForResponse("**/echo");
  const worker = await work(page, `fetch("${app}/echo", { method: "POST", body: "sent" }).then((r) => r.text())`);
  const response = await coming;
  expect([response.request().method(), response.request().postData(), response.status()]).toEqual(["POST", "sent", 200]);
  expect((await response.json()).body).toBe("sent");
  const failed = page.waitForEvent("requestfailed");
  await worker.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => {}));
  expect((await failed).url()).toBe("http://127.0.0.1:9/");
});

test("intercept: a worker's requests", async ({ page }) => {
  const worker = await work(page, "");
  const ask = (address, options) => worker.evaluate(([u, o]) => fetch(u, o).then(async (r) => [r.status, r.url, await r.text()], (e) => e.message), [address, options]);
  await page.route("**/api", (route) => route.fulfill({ status: 201, body: "made" }));
  expect(await ask(`${app}/api`)).toEqual([201, `${app}/api`, "made"]);
  await page.route("**/none", (route) => route.abort());
  expect(await ask(`${app}/none`)).toBe("Failed to fetch");
  await page.route("**/echo", (route) => route.continue({ method: "PUT", postData: "changed" }));
  expect(JSON.parse((await ask(`${app}/echo`, { method: "POST", body: "x" }))[2])).toMatchObject({ method: "PUT", body: "changed" });
  const byXhr = (address) => worker.evaluate((u) => new Promise((resolve) => {
    const x = new XMLHttpRequest();
    x.open("POST", u);
    x.responseType = "json";
    x.onloadend = () => resolve([x.status, x.responseURL, x.response]);
    x.send("x");
  }), address);
  expect(await byXhr(`${app}/api`)).toEqual([201, `${app}/api`, null]);
  expect((await byXhr(`${app}/echo`))[2]).toMatchObject({ method: "PUT", body: "changed" });
  expect((await byXhr(`${app}/none`))[0]).toBe(0);
  const logged = page.waitForEvent("console");
  await work(page, `fetch("${app}/api").then((r) => r.text()).then(console.log)`);
  expect((await logged).text()).toBe("made");
});

test("intercept: the document itself", async ({ page, inFrame }) => {
  await page.route("**/p?html=routed", (route) => route.fulfill({ contentType: "text/html", body: "<p>made up</p>" }));
  const response = await page.goto(`${app}/p?html=routed`);
  expect(response.status()).toBe(200);
  expect(await page.locator("p").count()).toBe(inFrame() ? 0 : 1);
});

test("intercept: WebSockets, by Playwright's own script", async ({ page, inFrame }) => {
  await page.routeWebSocket("**/socket", (ws) => ws.onMessage((m) => ws.send(`mine ${m}`)));
  await page.goto(pageOf(""));
  const answer = page.evaluate(() => new Promise((resolve) => {
    const ws = new WebSocket(`${location.origin.replace("http", "ws")}/socket`);
    ws.onopen = () => ws.send("x");
    ws.onmessage = (e) => resolve(e.data);
  }));
  if (inFrame()) await expect(answer).rejects.toThrow("URL.parse is not a function");
  else expect(await answer).toBe("mine x");
});

test("request and response events: of a WebSocket", async ({ page }) => {
  const frames = [];
  const opened = page.waitForEvent("websocket");
  await page.evaluate(() => new Promise((resolve) => {
    const ws = new WebSocket(`${location.origin.replace("http", "ws")}/socket`);
    ws.onopen = () => setTimeout(() => ws.send("x"), 100);
    ws.onmessage = () => setTimeout(() => ws.close(), 100);
    window.socket = ws;
    resolve();
  }));
  const ws = await opened;
  ws.on("framesent", (f) => frames.push(["sent", f.payload]));
  ws.on("framereceived", (f) => frames.push(["received", f.payload]));
  await ws.waitForEvent("close");
  expect(ws.url()).toContain("/socket");
  expect(frames).toEqual([["sent", "x"], ["received", "echo x"]]);
});

test("cookies: set, read and cleared", async ({ context, page }) => {
  await context.addCookies([{ name: "a", value: "1", url: app }]);
  expect(await page.evaluate(() => document.cookie)).toBe("a=1");
  await page.evaluate(() => { document.cookie = "b=2; path=/"; });
  expect((await context.cookies(app)).map((c) => `${c.name}=${c.value}`).sort()).toEqual(["a=1", "b=2"]);
  await context.clearCookies();
  expect(await page.evaluate(() => document.cookie)).toBe("");
});

test("cookies: are sent to the server", async ({ context, page }) => {
  await context.addCookies([{ name: "sent", value: "yes", url: app }]);
  expect(JSON.parse(await get(page, "/echo")).headers.Cookie).toEqual(["sent=yes"]);
});

test("storage: of the page, and as a state", async ({ context, page }) => {
  await page.evaluate(() => localStorage.setItem("k", "v"));
  const state = await context.storageState();
  expect(state.origins.find((o) => o.origin === app)?.localStorage).toEqual([{ name: "k", value: "v" }]);
});

test("storage: each origin has its own", async ({ page }) => {
  await page.evaluate(() => localStorage.setItem("k", "v"));
  await page.goto(pageOf("", { origin: other }));
  expect(await page.evaluate(() => localStorage.getItem("k"))).toBeNull();
});

test("emulation: offline", async ({ context, inFrame }) => {
  if (inFrame()) return expect(context.setOffline(true)).rejects.toThrow("not possible in an embedded frame");
  await context.setOffline(true);
  await context.setOffline(false);
});

test("emulation: extra HTTP headers", async ({ page, inFrame }) => {
  if (inFrame()) return expect(page.setExtraHTTPHeaders({ "x-c": "3" })).rejects.toThrow("not possible in an embedded frame");
  await page.setExtraHTTPHeaders({ "x-c": "3" });
  expect(JSON.parse(await get(page, "/echo")).headers["X-C"]).toEqual(["3"]);
  await page.setExtraHTTPHeaders({});
});
