const said = (icdp) => message(icdp, (e) => e.icdp === icdp);
const tell = (m) => port.postMessage(JSON.stringify({ icdp: "popup", ...m }));
const click = async (selector) => {
  const [x, y] = await value(
    `(() => { const r = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return [r.x + 3, r.y + 3] })()`,
  );
  for (const type of ["mousePressed", "mouseReleased"])
    await cdp("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
};
const html = `<a id=blank href="/two#x" target=_blank>blank</a> <a id=named href=/three target=win>named</a>
  <a id=kept href=/four target=_blank onclick="event.preventDefault()">kept</a> <a id=with href=/five target=_blank rel=opener><b>with</b></a>
  <form target=_blank action="/find?old=1"><input name=q value="a b"><button id=send name=by value=me>send</button></form>
  <form target=_blank action="/find"><button id=bare>bare</button></form>
  <iframe name=inner srcdoc="<a id=deep href=/deep target=_blank>deep</a>"></iframe> <a id=in href="about:blank" target=inner>in</a>
  <a id=top href=/six target=_top>top</a> <button id=attribute onclick="window.made = open('/seven', 'seventh', 'width=200')">attribute</button>`;
hub.popups = true;
await visit("/one", { html });
await cdp("Page.enable");
state.sessions[0].domains.push("Page");
const plain = ["menubar", "toolbar", "status", "scrollbars", "resizable"];

// Links.
await click("#blank");
is(await event("Page.windowOpen"), {
  url: APP + "/two#x",
  windowName: "_blank",
  windowFeatures: [...plain, "noopener"],
  userGesture: true,
});
const { openId, ...rest } = await said("open");
is(rest, { icdp: "open", url: APP + "/two#x", name: "", noopener: true });
await click("#with b");
is((await said("open")).noopener, undefined, "rel=opener");
await click("#named");
is(await said("open").then((m) => [m.url, m.name, m.noopener]), [APP + "/three", "win", undefined]);
await click("#named");
is(await said("popup").then((m) => m.url), APP + "/three", "a window of this name is used again");
// The open() of an attribute is document.open, which is window.open with three arguments.
await click("#attribute");
is(await said("open").then((m) => [m.url, m.name]), [APP + "/seven", "seventh"]);
is(await value("typeof made.postMessage + document.querySelector('#attribute').id"), "functionattribute");
await click("#send");
is(await said("open").then((m) => m.url), APP + "/find?q=a+b&by=me");
await click("#bare");
is(await said("open").then((m) => m.url), APP + "/find?", "of a form without fields, as in Chromium 156");
await value("frames[0].document.querySelector('#deep').click()");
is(await said("open").then((m) => m.url), APP + "/deep");
await value("blank.onclick = (e) => e.stopPropagation()");
await click("#blank");
is(await said("open").then((m) => m.url), APP + "/two#x", "whose click no listener of the document hears");
await value("blank.click()");
is(await said("open").then((m) => m.url), APP + "/two#x");
events.length = 0;
await click("#kept");
await click("#in");
is(
  events.filter((e) => e.icdp === "open"),
  [],
  "what the page prevents, and a frame of that name, open nothing",
);
events.length = 0;

// window.open and what it returns.
await value(
  "window.w = open('/pop', 'mine', 'width=300,height=200'); window.heard = []; addEventListener('message', (e) => heard.push([e.data, e.origin, e.source === w])); 1",
);
is((await event("Page.windowOpen")).windowFeatures, ["width=300", "height=200", "resizable"]);
const mine = (await said("open")).openId;
is(await value("[w.closed, w === w.window, open('', 'mine') === w, w.location.href, String(w.location)]"), [
  false,
  true,
  true,
  APP + "/pop",
  APP + "/pop",
]);
is(await value("open('/pop', '_blank', 'noopener') === null"), true);
is(
  await value("try { open('http://[') } catch (e) { [e.name, e instanceof DOMException] }"),
  ["SyntaxError", true],
  "an address that cannot be read (HTML, window open steps)",
);
await value(
  "try { w.document } catch (e) { heard.push(e.name) } w.postMessage({ n: [1] }, '*'); w.location = '/moved'; w.focus()",
);
is(await said("popup"), { icdp: "popup", openId: mine, message: { data: { n: [1] }, targetOrigin: "*" } });
is(await said("popup"), { icdp: "popup", openId: mine, url: APP + "/moved" });
is((await said("popup")).focus, true);
is(await value("try { w.postMessage(() => {}, '*') } catch (e) { e.name }"), "DataCloneError");
tell({ openId: mine, url: APP + "/moved?2" });
tell({ openId: mine, message: { data: "hello", origin: APP, targetOrigin: APP } });
tell({ openId: mine, message: { data: "not for you", origin: APP, targetOrigin: "http://elsewhere" } });
is(await value("[heard, w.location.href]"), [["SecurityError", ["hello", APP, true]], APP + "/moved?2"]);
await cdp("Log.enable");
tell({ openId: mine, closed: true, error: "no room" });
is(await value("w.closed"), true);
is((await event("Log.entryAdded")).entry.text, "The Host page has opened no window: no room");
await value("window.w = open('/again', 'mine'); w.close(); 1");
is([(await said("open")).url, (await said("popup")).close], [APP + "/pop", true]);
is(await value("w.closed"), true);
is((await said("open")).url, APP + "/again", "a closed window is not used again");

// A window whose document is of this origin is in reach; one that is not has the classes of any window.
await value("window.w = open('/reached', 'reached'); 1");
is(
  await value("[w.Promise === Promise, 'document' in w, (() => { try { w.document } catch (e) { return e.name } })()]"),
  [true, true, "SecurityError"],
);
const reached = document.createElement("iframe");
const inside = `<script>window[Symbol.for("cdphub.window")] = ["${(await said("open")).openId}"]; var twice = (n) => 2 * n; class Own {}<\/script><p>there`;
reached.src = APP + "/reached?" + new URLSearchParams({ bare: 1, html: inside });
document.body.append(reached);
await new Promise((r) => (reached.onload = r));
is(
  await value(
    "[w.document.querySelector('p').textContent, w.twice(2), w.location.pathname, 'twice' in w, w.window === w, w.closed, w.Promise === Promise, (w.set = 1, w.set)]",
  ),
  ["there", 4, "/reached", true, true, false, false, 1],
);
is(reached.contentWindow.closed, false);
reached.remove();

// _top is the Target, not the Host page around it.
const arrived = new Promise((r) => (paired = r));
await click("#top");
await arrived;
is(await value("location.pathname"), "/six");

// A window that script has opened.
Object.assign(hub, { opened: true, opener: true });
frame.remove();
frame.name = "cdphub:o::mine";
document.body.append(frame);
events.length = 0;
await visit("/one", {
  html: `<script>window.early = [name, opener !== null]; opener.postMessage("ready", "${APP}");
  window.heard = []; onmessage = (e) => heard.push([e.data, e.source === opener])<\/script>`,
});
is(await value("early"), ["mine", true], "known before the page's own scripts run");
is((await said("opener")).message, { data: "ready", targetOrigin: APP });
tell({ message: { data: "welcome", origin: APP, targetOrigin: "*" } });
is(await value("heard"), [["welcome", true]]);
await value("window.name = 'other'");
const again = new Promise((r) => (paired = r));
await value("location.href = '/two'");
await again;
is(await value("[window.name, opener !== null]"), ["other", true], "in the next document too");
await value("close()");
is(await said("close"), { icdp: "close" });

// A form that is posted. A real window would hide the Host page, and a frame would not get the data.
await visit("/seven", {
  html: '<form target=_blank method=post action="/posted"><button id=post>post</button></form>',
});
await cdp("Log.enable");
state.sessions[0].domains.push("Log");
const posted = new Promise((r) => (paired = r));
await click("#post");
is((await event("Log.entryAdded")).entry.level, "warning");
await posted;
is(await value("location.pathname"), "/posted");
is(await value("document.visibilityState"), "visible");
