import assert from "node:assert/strict";
import { test } from "node:test";
import browser from "devtools-protocol/json/browser_protocol.json";
import js from "devtools-protocol/json/js_protocol.json";
import { mayShare, readHub } from "./address";
import { PASSES } from "./passes";
import { judge, type Params } from "./rules";

const page = { url: "https://shop.example/cart", hubs: ["hub.example", "127.0.0.1:9222"] };

/** What becomes of a command: what is sent, or "refused". */
function outcome(method: string, params: Params = {}): unknown {
  const verdict = judge(method, params, page);
  if (!("refuse" in verdict)) return [verdict.method, verdict.params];
  assert.match(
    verdict.refuse,
    new RegExp(`^${method.replace(".", "\\.")} is not possible in a tab that its user shares: .`),
  );
  return "refused";
}

test("R-413 what reaches beyond the page is refused", () => {
  for (const method of [
    "Target.createTarget",
    "Target.attachToTarget",
    "Target.exposeDevToolsProtocol",
    "Target.getTargets",
    "Target.setDiscoverTargets",
    "Browser.close",
    "Storage.clearCookies",
    "Storage.clearDataForOrigin",
    "CacheStorage.requestCacheNames",
    "Tracing.start",
    "SystemInfo.getInfo",
    "WebAuthn.enable",
    "Extensions.loadUnpacked",
    "Network.clearBrowserCookies",
    "Network.clearBrowserCache",
    "Network.loadNetworkResource",
    "DOM.setFileInputFiles",
    "Page.crash",
    "Page.setDownloadBehavior",
    "Invented.method",
    "toString",
    "__proto__.x",
  ]) {
    assert.equal(outcome(method), "refused", method);
  }
  for (const method of [
    "Page.enable",
    "Runtime.evaluate",
    "Target.setAutoAttach",
    "Fetch.enable",
    "Input.dispatchMouseEvent",
  ]) {
    assert.deepEqual(outcome(method, { a: 1 }), [method, { a: 1 }]);
  }
});

test("R-413 what passes is listed", () => {
  const passes: Record<string, string> = {};
  for (const { domain, commands = [] } of [...browser.domains, ...js.domains]) {
    const names = commands.map(({ name }) => name).filter((name) => outcome(`${domain}.${name}`) !== "refused");
    if (names.length > 0) passes[domain] = names.join(" ");
  }
  assert.deepEqual(passes, PASSES);
});

test("R-413 files of the machine are not dropped", () => {
  const drop = (data: unknown) => outcome("Input.dispatchDragEvent", { type: "drop", data });
  assert.deepEqual(drop({ items: [] }), ["Input.dispatchDragEvent", { type: "drop", data: { items: [] } }]);
  assert.notEqual(drop({ items: [], files: [] }), "refused");
  assert.equal(drop({ items: [], files: ["/etc/passwd"] }), "refused");
  assert.equal(drop({ items: [], files: "/etc/passwd" }), "refused");
});

test("R-413 the window around the tab is not recorded", () => {
  const record = (captureArea?: string) => outcome("Page.startScreenRecording", { captureArea });
  assert.notEqual(record(), "refused");
  assert.notEqual(record("target"), "refused");
  assert.equal(record("browserWindow"), "refused");
});

test("R-413 cookies are those of the page", () => {
  const own = ["Network.getCookies", { urls: [page.url] }];
  assert.deepEqual(outcome("Storage.getCookies", { browserContextId: "x" }), own);
  assert.deepEqual(outcome("Network.getAllCookies"), own);
  assert.deepEqual(outcome("Network.getCookies"), own);
  assert.deepEqual(outcome("Network.getCookies", { urls: ["https://shop.example/"] }), [
    "Network.getCookies",
    { urls: ["https://shop.example/"] },
  ]);
  for (const urls of [
    ["https://bank.example/"],
    [page.url, "https://bank.example/"],
    ["https://example/"],
    [""],
    [{}],
  ]) {
    assert.equal(outcome("Network.getCookies", { urls }), "refused", String(urls));
  }
  const good: Params[] = [
    { name: "a", value: "1", url: "https://shop.example/x" },
    { name: "a", value: "1", domain: "shop.example" },
    { name: "a", value: "1", domain: ".example" }, // the browser refuses what everybody has
    { name: "a", url: "https://shop.example/", domain: ".SHOP.example" },
  ];
  const bad: Params[] = [
    { name: "a", value: "1" },
    { name: "a", url: "https://bank.example/" },
    { name: "a", domain: "bank.example" },
    { name: "a", domain: "sub.shop.example" },
    { name: "a", domain: "op.example" },
    { name: "a", domain: "" },
    { name: "a", url: "https://shop.example/", domain: "bank.example" },
    { name: "a", url: "https://bank.example/", domain: "shop.example" },
  ];
  for (const method of ["Network.setCookie", "Network.deleteCookies"]) {
    for (const params of good) assert.deepEqual(outcome(method, params), [method, params]);
    for (const params of bad) assert.equal(outcome(method, params), "refused", JSON.stringify(params));
  }
  assert.deepEqual(outcome("Storage.setCookies", { cookies: good }), ["Network.setCookies", { cookies: good }]);
  for (const one of bad) assert.equal(outcome("Network.setCookies", { cookies: [...good, one] }), "refused");
  assert.equal(outcome("Storage.setCookies", { cookies: 5 }), "refused");
  for (const url of ["about:blank", "data:text/html,x", ""]) {
    const verdict = judge("Storage.getCookies", {}, { url, hubs: [] });
    assert.ok("refuse" in verdict, `of ${url}`);
  }
});

test("R-413 a shared tab goes where pages of the web are", () => {
  for (const url of [
    "https://bank.example/",
    "http://a/",
    "about:blank",
    "data:text/html,x",
    "blob:https://a.example/id",
  ]) {
    assert.deepEqual(outcome("Page.navigate", { url }), ["Page.navigate", { url }]);
  }
  for (const url of [
    "chrome://settings/",
    "chrome-extension://ajbndccgghnbniahaehckbfjmehjlnml/popup.html",
    "file:///etc/passwd",
    "view-source:https://a.example/",
    "devtools://devtools/",
    "javascript:alert(1)",
    "about:blank2",
    "filesystem:https://a.example/x",
    "blob:chrome-extension://ajbndccgghnbniahaehckbfjmehjlnml/id",
    "https://hub.example/ui",
    "http://localhost:9222/ui",
    "HTTP://127.1:9222/",
    "http://[::1]:9222/",
    "nonsense",
    "",
    undefined,
    {},
  ]) {
    assert.equal(outcome("Page.navigate", { url }), "refused", String(url));
  }
  assert.ok(mayShare("http://localhost:3000/", ["localhost:9222", "\\:nonsense"]));
});

test("R-414 a hub elsewhere needs TLS", () => {
  const end = "/icdp/extension";
  for (const [text, url] of [
    ["localhost:9223", "ws://localhost:9223" + end],
    [" ws://127.0.0.1:9223/ ", "ws://127.0.0.1:9223" + end],
    ["http://[::1]:9223/hub/work/", "ws://[::1]:9223/hub/work" + end],
    ["hub.example", "wss://hub.example" + end],
    ["https://hub.example/hub/a", "wss://hub.example/hub/a" + end],
  ] as const) {
    assert.deepEqual(readHub(text), { url });
  }
  for (const text of [
    "ws://hub.example",
    "http://10.0.0.1:9223",
    "ws://127.0.0.1.example:1",
    "ws://localhost.example:1",
  ]) {
    assert.deepEqual(readHub(text), { wrong: "needsTLS" }, text);
  }
  for (const text of ["", "ftp://localhost", "ws://u:p@localhost", "ws://localhost/?token=x", "a b"]) {
    assert.deepEqual(readHub(text), { wrong: "badAddress" }, text);
  }
});
