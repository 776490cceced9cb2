// Cookies: those that page script sees and sets, in Chromium's shape.
await visit("/app/page", { html: "<p>" });
const host = new URL(APP).hostname;
const soon = Math.floor(Date.now() / 1000) + 1000;
is(await cdp("Network.setCookie", { name: "a", value: "1", url: APP, expires: soon, sameSite: "Strict" }), {
  success: true,
});
await cdp("Network.setCookies", {
  cookies: [
    { name: "b", value: "2", domain: host },
    { name: "deep", value: "3", url: APP, path: "/app" },
  ],
});
const shape = async (method, params) => (await cdp(method, params)).cookies.sort((x, y) => (x.name < y.name ? -1 : 1));
const common = { httpOnly: false, secure: false, priority: "Medium", sourceScheme: "NonSecure", sourcePort: 80 };
const by = ({ name, value, domain, path, expires, size, session, sameSite, ...rest }) => {
  is(rest, common, name);
  return [name, value, domain, path, Math.round(expires), size, session, sameSite];
};
const a = ["a", "1", host, "/", soon, 2, false, "Strict"];
const b = ["b", "2", host, "/", -1, 2, true, "Lax"];
const deep = ["deep", "3", host, "/app", -1, 5, true, "Lax"];
is((await shape("Network.getCookies")).map(by), [a, b, deep]);
is((await shape("Storage.getCookies")).map(by), [a, b, deep]);
for (const path of ["/else", "/apple", "/app", "/app/", "/app/x"]) {
  const below = /^\/app(\/|$)/.test(path) ? [deep] : [];
  is((await shape("Network.getCookies", { urls: [APP + path] })).map(by), [a, b, ...below], path);
}
is(await shape("Network.getCookies", { urls: ["http://other.example/"] }), []);

// What page script cannot do is refused, and so is what the browser does not keep.
const no = (method, why) => `${method} is not possible in an embedded frame: ${why}`;
await fails(
  cdp("Network.setCookie", { name: "h", value: "", url: APP, httpOnly: true }),
  no("Network.setCookie", "page script cannot set an HttpOnly cookie"),
);
await fails(
  cdp("Storage.setCookies", { cookies: [{ name: "h", value: "", url: "http://other.example/x" }] }),
  no("Storage.setCookies", "page script sets cookies of its own site only, not of other.example"),
);
await fails(
  cdp("Network.setCookie", { name: "__Host-x", value: "1", url: APP }),
  no("Network.setCookie", "the browser keeps no such cookie here: __Host-x=1; path=/"),
);
await fails(
  cdp("Network.setCookie", { name: "x", value: "1" }),
  "At least one of the url or domain needs to be specified",
);
await fails(cdp("Network.setCookie", { name: "x", value: "1; domain=y", url: APP }), "Sanitizing cookie failed");

await cdp("Network.deleteCookies", { name: "a", url: APP });
is(
  (await shape("Network.getAllCookies")).map((c) => c.name),
  ["b", "deep"],
);
await cdp("Network.deleteCookies", { name: "deep", url: APP, path: "/" });
is(
  (await shape("Network.getAllCookies")).map((c) => c.name),
  ["b", "deep"],
  "another path",
);
await cdp("Network.clearBrowserCookies");
is(await value("document.cookie"), "");
await cdp("Storage.setCookies", { cookies: [{ name: "c", value: "", url: APP }] });
is(await value("document.cookie"), "c=");
await cdp("Storage.clearCookies");
is(await cdp("Storage.getCookies"), { cookies: [] });

// DOM storage, without what the agent keeps there.
const id = { storageKey: APP + "/", isLocalStorage: false };
await cdp("Fetch.enable");
await cdp("DOMStorage.setDOMStorageItem", { storageId: id, key: "k", value: "v" });
is(await cdp("DOMStorage.getDOMStorageItems", { storageId: id }), { entries: [["k", "v"]] });
is(await cdp("Storage.getStorageKey"), { storageKey: APP + "/" });
