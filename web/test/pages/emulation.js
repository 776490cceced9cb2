await visit("/emulation", { html: "<p>text" });
const set = (method, params) => cdp("Emulation." + method, params);
const refusal = (method) => `Emulation.${method} is not possible in an embedded frame: needs the browser process`;

// What asks for nothing is granted, what needs the browser process is not.
for (const [method, neutral, other] of [
  ["setEmulatedMedia", { media: "", features: [{ name: "prefers-color-scheme", value: "light" }] }, { media: "print" }],
  ["setLocaleOverride", {}, { locale: "de-DE" }],
  ["setTimezoneOverride", { timezoneId: "" }, { timezoneId: "Europe/Paris" }],
  ["setScriptExecutionDisabled", { value: false }, { value: true }],
  ["setCPUThrottlingRate", { rate: 1 }, { rate: 4 }],
  ["setEmulatedVisionDeficiency", { type: "none" }, { type: "achromatopsia" }],
  ["setScrollbarsHidden", { hidden: false }, { hidden: true }],
  ["clearIdleOverride", {}],
  ["setIdleOverride", undefined, { isUserActive: false, isScreenUnlocked: false }],
]) {
  if (neutral) is(await set(method, neutral), {}, method);
  if (other) await fails(set(method, other), refusal(method));
}
await fails(
  set("setUserAgentOverride", { userAgent: "x" }),
  "Emulation.setUserAgentOverride is not possible in an embedded frame: request headers belong to the browser",
);

// What a page is told of its browser, in frames too and in the next document.
await value(
  "new Promise((r) => { const f = document.createElement('iframe'); f.srcdoc = 'x'; f.onload = () => r(1); document.body.append(f) })",
);
const real = await value("[navigator.userAgent, navigator.platform]");
const agent = { userAgent: "Mozilla/5.0 (Macintosh) Test/1", acceptLanguage: "de-CH,de;q=0.9", platform: "MacIntel" };
await cdp("Network.setUserAgentOverride", agent);
is(
  await value(
    "[navigator.userAgent, navigator.appVersion, navigator.platform, navigator.language, navigator.languages]",
  ),
  [agent.userAgent, "5.0 (Macintosh) Test/1", "MacIntel", "de-CH", ["de-CH", "de"]],
);
is(await value("frames[0].navigator.userAgent"), agent.userAgent);
await visit("/next", { html: "<script>early = navigator.userAgent<\/script>" });
is(await value("early"), agent.userAgent, "before the page's scripts");
await cdp("Network.setUserAgentOverride", { userAgent: "" });
is(await value("[navigator.userAgent, navigator.platform]"), real);
attach("S2");
await cdp("Network.setUserAgentOverride", agent, "S2");
is(await value("navigator.userAgent"), agent.userAgent);
port.postMessage(JSON.stringify({ icdp: "detached", sessionId: "S2" }));
is(await value("navigator.userAgent"), real[0], "a session takes its override with it");

// Where a page is told to be: a place, none, or what the browser says.
const place =
  "new Promise((r) => navigator.geolocation.getCurrentPosition((p) => r([p.coords.latitude, p.coords.longitude, p.coords.accuracy, p.coords.speed]), (e) => r(e.message)))";
await set("setGeolocationOverride", { latitude: 1.5, longitude: -2, accuracy: 10 });
is(await value(place), [1.5, -2, 10, null]);
await visit("/elsewhere", { html: `<script>early = ${place}<\/script>` });
is(await value("early"), [1.5, -2, 10, null], "before the page's scripts");
is(await value("new Promise((r) => navigator.geolocation.watchPosition((p) => r(p.coords.latitude)))"), 1.5);
await set("setGeolocationOverride", {});
is(await value(place), "Position unavailable");
await set("clearGeolocationOverride", {});
is(await value("Object.keys(Object.getOwnPropertyDescriptors(navigator.geolocation))"), []);

// Metrics, once they are enabled.
is((await cdp("Performance.getMetrics")).metrics, []);
await cdp("Performance.enable");
await value("document.body.innerHTML = '<iframe></iframe><b>x</b>'; new Promise((r) => setTimeout(r, 50))");
const metrics = Object.fromEntries((await cdp("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
is(
  [
    metrics.Documents,
    metrics.Frames,
    metrics.JSHeapUsedSize > 0 === (await value("'memory' in performance")),
    metrics.Timestamp > metrics.NavigationStart,
    metrics.DomContentLoaded > metrics.NavigationStart,
  ],
  [2, 2, true, true, true],
);
const nodes = metrics.Nodes;
await value("document.body.append('text', document.createElement('i'))");
is((await cdp("Performance.getMetrics")).metrics.find((m) => m.name === "Nodes").value, nodes + 2);

// The root's sizes: of the layout viewport without scroll bars, of what is in it.
await value(
  "document.documentElement.innerHTML = '<body style=\"margin:0;width:1000px;height:2000px\">'; scrollTo(30, 500)",
);
const [clientWidth, clientHeight] = await value(
  "[document.documentElement.clientWidth, document.documentElement.clientHeight]",
);
is(clientWidth < 800 && clientHeight < 600, true, "there are scroll bars");
const sizes = await cdp("Page.getLayoutMetrics");
is(sizes.cssLayoutViewport, { pageX: 30, pageY: 500, clientWidth, clientHeight });
is(sizes.cssContentSize, { x: 0, y: 0, width: 1000, height: 2000 });
is(sizes.cssVisualViewport, {
  offsetX: 0,
  offsetY: 0,
  pageX: 30,
  pageY: 500,
  clientWidth,
  clientHeight,
  scale: 1,
  zoom: 1,
});
is(
  [sizes.layoutViewport, sizes.visualViewport, sizes.contentSize],
  [sizes.cssLayoutViewport, sizes.cssVisualViewport, sizes.cssContentSize],
  "one device pixel each",
);
