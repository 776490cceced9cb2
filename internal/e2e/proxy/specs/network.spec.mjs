// What only the proxy knows of requests.

import { app, expect, other, pathOf, test } from "../fixtures.mjs";

test("headers of a fetch are those that went over the network", async ({ page }) => {
  const path = pathOf("x", {
    path: "/data",
    type: "text/plain",
    h: ["X-A: 1", "X-A: 2", "Set-Cookie: a=b", "Set-Cookie: c=d", "Set-Cookie: secret=1; HttpOnly"],
  });
  const [response] = await Promise.all([
    page.waitForResponse("**/data*"),
    page.evaluate((address) => fetch(address, { headers: { "x-own": "yes" } }).then((r) => r.text()), path),
  ]);
  expect(await response.headerValues("x-a")).toEqual(["1", "2"]);
  expect(await response.headerValues("set-cookie")).toEqual(["a=b", "c=d"]);
  expect(response.headers()["x-a"]).toBe("1, 2");
  expect(await response.request().allHeaders()).toMatchObject({
    "x-own": "yes",
    "sec-fetch-dest": "empty",
    "accept-language": expect.any(String),
  });
  expect((await response.request().sizes()).responseBodySize).toBe(1);
});

test("cookies of requests are those that script can read", async ({ page, context }) => {
  await context.addCookies([
    { name: "one", value: "1", url: app },
    { name: "two", value: "2", url: app },
  ]);
  await page.evaluate((address) => fetch(address), pathOf("", { h: ["Set-Cookie: secret=1; HttpOnly"] }));
  const document = await page.goto(`${app}/page`);
  expect(await document.request().headerValue("cookie")).toBe("one=1; two=2");
  const [response] = await Promise.all([
    page.waitForResponse("**/echo"),
    page.evaluate(() => fetch("/echo").then((r) => r.text())),
  ]);
  expect(await response.request().headerValue("cookie")).toBe("one=1; two=2");
  expect((await response.json()).headers.Cookie[0]).toContain("secret=1");
});

test("a fetch from the cache has headers, too", async ({ page }) => {
  const path = pathOf("x", { path: "/kept", type: "text/plain", h: ["Cache-Control: max-age=60"] });
  const get = () =>
    Promise.all([
      page.waitForResponse("**/kept*"),
      page.evaluate((address) => fetch(address, { cache: "force-cache" }).then((r) => r.text()), path),
    ]);
  await get();
  const [response] = await get();
  expect((await response.allHeaders())["content-type"]).toBe("text/plain");
});

test("a document that a service worker makes says so", async ({ page }) => {
  const script = pathOf(
    `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
    onfetch = (e) => { if (e.request.url.endsWith("/made")) e.respondWith(new Response("<h1>made</h1>", { headers: { "content-type": "text/html" } })); };`,
    { path: "/sw.js", type: "text/javascript" },
  );
  await page.evaluate(async (address) => {
    const controls = new Promise((resolve) => {
      navigator.serviceWorker.oncontrollerchange = resolve;
    });
    await navigator.serviceWorker.register(address, { scope: "/" });
    await controls;
  }, script);
  expect((await page.goto(`${app}/made`)).fromServiceWorker()).toBe(true);
  expect((await page.goto(`${app}/page`)).fromServiceWorker()).toBe(false);
});

test("a stylesheet that fails is told of before the load event", async ({ page }) => {
  const failed = [];
  page.on("requestfailed", (r) => failed.push([new URL(r.url()).pathname, r.resourceType()]));
  await page.goto(app + pathOf("<link rel=stylesheet href=/drop>"));
  expect(failed).toEqual([["/drop", "stylesheet"]]);
});

test("forms with files and Blobs have their bytes as post data", async ({ page }) => {
  const [request] = await Promise.all([
    page.waitForRequest("**/echo"),
    page.evaluate(async () => {
      const form = new FormData();
      form.set("text", "one");
      form.set("file", new File(["two"], 'a".txt'));
      await fetch("/echo", { method: "POST", body: form });
    }),
  ]);
  const boundary = /boundary=(.*)/.exec(request.headers()["content-type"])[1];
  expect(request.postData()).toBe(
    `--${boundary}\r\nContent-Disposition: form-data; name="text"\r\n\r\none\r\n` +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a%22.txt"\r\nContent-Type: application/octet-stream\r\n\r\ntwo\r\n--${boundary}--\r\n`,
  );
  const [blob] = await Promise.all([
    page.waitForRequest("**/echo"),
    page.evaluate(() => fetch("/echo", { method: "POST", body: new Blob([new Uint8Array([0, 200, 255])]) })),
  ]);
  expect([...blob.postDataBuffer()]).toEqual([0, 200, 255]);
  const [long] = await Promise.all([
    page.waitForRequest("**/echo"),
    page.evaluate(() => fetch("/echo", { method: "POST", body: "x".repeat(2 << 20) })),
  ]);
  expect(long.postData().length).toBe(2 << 20);
});

test("a user agent is that of requests, too, until its session ends", async ({ page, context }) => {
  const sent = () =>
    page.evaluate(() =>
      fetch("/echo")
        .then((r) => r.json())
        .then(({ headers }) => headers["User-Agent"][0]),
    );
  const own = await sent();
  const session = await context.newCDPSession(page);
  await session.send("Network.setUserAgentOverride", { userAgent: "Walker/1" });
  expect(await sent()).toBe("Walker/1");
  const document = await page.goto(`${app}/echo`);
  expect((await document.json()).headers["User-Agent"]).toEqual(["Walker/1"]);
  expect(await page.evaluate(() => navigator.userAgent)).toBe("Walker/1");
  await session.detach();
  await expect.poll(sent).toBe(own);
});

test("why CORS refuses an answer is on the console", async ({ page }) => {
  const text = async (options) => {
    const said = page.waitForEvent("console", (m) => m.text().startsWith("Access to"));
    await page.evaluate(([u, o]) => fetch(u, o).catch(() => {}), [`${other}/page`, options]);
    return (await said).text();
  };
  const start = `Access to fetch at '${other}/page' from origin '${app}' has been blocked by CORS policy: `;
  const why = "No 'Access-Control-Allow-Origin' header is present on the requested resource.";
  expect(await text()).toBe(start + why);
  expect(await text({ method: "PUT" })).toBe(
    `${start}Response to preflight request doesn't pass access control check: ${why}`,
  );
});

test("requests of elements have their headers as they were sent", async ({ page, context }) => {
  await context.addCookies([{ name: "one", value: "1", url: app }]);
  const [response] = await Promise.all([
    page.waitForResponse("**/data*"),
    page.goto(
      app +
        pathOf(
          `<script src="${pathOf("0", { path: "/data", type: "text/javascript", h: ["X-A: 1", "X-A: 2"] }).replaceAll("&", "&amp;")}"></script>`,
        ),
    ),
  ]);
  expect(await response.request().allHeaders()).toMatchObject({
    cookie: "one=1",
    "sec-fetch-dest": "script",
    host: expect.any(String),
  });
  expect(await response.headerValues("x-a")).toEqual(["1", "2"]);
});

test("a request that a client fails is told of before the load event, and before goto ends", async ({ page }) => {
  const failed = [];
  page.on("requestfailed", (r) => failed.push([new URL(r.url()).pathname, r.failure().errorText]));
  await page.route("**/no", (route) => route.abort("internetdisconnected"));
  await page.goto(app + pathOf("<link rel=stylesheet href=/no>"));
  expect(failed).toEqual([["/no", "net::ERR_INTERNET_DISCONNECTED"]]);
  await expect(page.goto(`${app}/no`)).rejects.toThrow("net::ERR_INTERNET_DISCONNECTED");
  expect(failed).toHaveLength(2);
});

test("a document that a client has fetched and given has one agent", async ({ page }) => {
  await page.route("**/page*", async (route) => route.fulfill({ response: await route.fetch() }));
  const response = await page.goto(app + pathOf("<h1>mine</h1>"));
  await expect(page.locator("h1")).toHaveText("mine");
  expect(await response.text()).toBe("<h1>mine</h1>");
});

test("a route hears of cookies that script can read", async ({ page, context }) => {
  await context.addCookies([{ name: "one", value: "1", url: app }]);
  const cookies = [];
  await page.route("**/page", async (route) => {
    cookies.push((await route.request().allHeaders()).cookie);
    await route.continue();
  });
  await page.goto(`${app}/page`);
  expect(cookies).toEqual(["one=1"]);
});

test("what a service worker answers a fetch with says so", async ({ page }) => {
  const script = pathOf(
    `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
    onfetch = (e) => { if (e.request.url.endsWith("/made")) e.respondWith(new Response("made")); };`,
    { path: "/sw.js", type: "text/javascript" },
  );
  await page.evaluate(async (address) => {
    const controls = new Promise((resolve) => {
      navigator.serviceWorker.oncontrollerchange = resolve;
    });
    await navigator.serviceWorker.register(address, { scope: "/" });
    await controls;
  }, script);
  const [response] = await Promise.all([
    page.waitForResponse("**/made"),
    page.evaluate(() => fetch("/made").then((r) => r.text())),
  ]);
  expect(response.fromServiceWorker()).toBe(true);
});
