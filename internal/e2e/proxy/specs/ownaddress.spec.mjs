// An app that prints its own address (WordPress, MediaWiki, forums): each way of loading something by it leads to the
// proxy, from markup that the app has sent, from markup that script writes, and from script.

import { app, expect, pathOf, test, upstream } from "../fixtures.mjs";

const at = (body, type, more) => upstream + pathOf(body, { type, path: "/asset", ...more });
const css = at("p{--seen:1}", "text/css");
const js = at("window.done=1", "text/javascript");
const mod = at("export const seven=7;window.done=1", "text/javascript");
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"><g id="a"/></svg>';
const img = at(svg, "image/svg+xml");
const worker = at(
  `fetch("${upstream}/echo").then(r=>r.json()).then(()=>postMessage(1),e=>postMessage(String(e)))`,
  "text/javascript",
);
const shared = at(
  `onconnect=e=>fetch("${upstream}/echo").then(()=>e.ports[0].postMessage(1),x=>e.ports[0].postMessage(String(x)))`,
  "text/javascript",
);
const child = at("<title>child</title><p>in", "text/html");
const seen = "getComputedStyle(document.querySelector('p')).getPropertyValue('--seen')";
const wide = "document.querySelector('img').naturalWidth";

// Name, the body of the document, an expression, its value.
const markup = [
  ["style sheet", `<link rel=stylesheet href='${css}'><p>`, seen, "1"],
  [
    "style sheet with rules that script reads",
    `<link rel=stylesheet href='${css}'><p>`,
    "document.styleSheets[0].cssRules.length",
    1,
  ],
  ["@import", `<style>@import url("${css}");</style><p>`, seen, "1"],
  ["@import in a style sheet", `<link rel=stylesheet href='${at(`@import "${css}";`, "text/css")}'><p>`, seen, "1"],
  [
    "url() in a style sheet",
    `<link rel=stylesheet href='${at(`p{background:url("${img}")}`, "text/css")}'><p>`,
    "getComputedStyle(document.querySelector('p')).backgroundImage.includes(location.origin)",
    true,
  ],
  [
    "style attribute",
    `<p style='background:url("${img}")'>`,
    "document.querySelector('p').style.backgroundImage.includes(location.host)",
    true,
  ],
  ["script", `<script src='${js}'></script>`, "done", 1],
  ["script with crossorigin", `<script crossorigin src='${js}'></script>`, "done", 1],
  ["module script", `<script type=module src='${mod}'></script>`, "done", 1],
  ["static import", `<script type=module>import {seven} from "${mod}";window.got=seven</script>`, "got", 7],
  ["import()", `<script>import("${mod}").then(m=>window.got=m.seven)</script>`, "got", 7],
  [
    "import in a module",
    `<script type=module src='${at(`export * from "${mod}"`, "text/javascript")}'></script>`,
    "done",
    1,
  ],
  [
    "import map",
    `<script type=importmap>{"imports":{"seven":"${mod}"}}</script><script type=module>import {seven} from "seven";window.got=seven</script>`,
    "got",
    7,
  ],
  ["image", `<img src='${img}'>`, wide, 3],
  ["srcset", `<img srcset='${img} 1x'>`, wide, 3],
  ["picture", `<picture><source srcset='${img}'><img></picture>`, wide, 3],
  [
    "use of SVG",
    `<svg><use href='${img}#a'/></svg>`,
    "document.querySelector('use').href.baseVal.startsWith(location.origin)",
    true,
  ],
  ["iframe", `<iframe src='${child}'></iframe>`, "frames[0].document.title", "child"],
  ["srcdoc", `<iframe srcdoc="<script src='${js}'></script>"></iframe>`, "frames[0].done", 1],
  ["object", `<object data='${child}'></object>`, "document.querySelector('object').contentDocument.title", "child"],
  ["base", `<base href='${upstream}/'><script src='${js.slice(upstream.length + 1)}'></script>`, "done", 1],
  [
    "meta refresh",
    `<meta http-equiv=refresh content="0; url=${child}">`,
    "location.href.startsWith(ORIGIN) && document.title",
    "child",
  ],
  [
    "manifest",
    `<link rel=manifest href='${at("{}", "application/json")}'><p>`,
    "document.querySelector('link').href.startsWith(location.origin)",
    true,
  ],
];
const script = [
  ["image.src", `const i=new Image();i.src="${img}";document.body.append(i)`, wide, 3],
  ["image.srcset", `const i=new Image();i.srcset="${img} 1x";document.body.append(i)`, wide, 3],
  [
    "setAttribute",
    `const i=document.createElement("img");i.setAttribute("src","${img}");document.body.append(i)`,
    wide,
    3,
  ],
  [
    "link.href",
    `const l=document.createElement("link");l.rel="stylesheet";l.href="${css}";document.head.append(l)`,
    "document.styleSheets[0].cssRules.length",
    1,
  ],
  [
    "script.src",
    `const s=document.createElement("script");s.crossOrigin="";s.src="${js}";document.head.append(s)`,
    "done",
    1,
  ],
  [
    "module script.src",
    `const s=document.createElement("script");s.type="module";s.src="${mod}";document.head.append(s)`,
    "done",
    1,
  ],
  [
    "iframe.src",
    `const f=document.createElement("iframe");f.src="${child}";document.body.append(f)`,
    "frames[0].document.title",
    "child",
  ],
  [
    "innerHTML",
    `document.body.innerHTML="<img src='${img}'>"`,
    "document.querySelector('img').src.startsWith(location.origin)&&" + wide,
    3,
  ],
  [
    "style sheet by innerHTML",
    `document.body.innerHTML="<link rel=stylesheet href='${css}'>"`,
    "document.styleSheets[0].cssRules.length",
    1,
  ],
  [
    "iframe by innerHTML",
    `document.body.innerHTML="<iframe src='${child}'></iframe>"`,
    "frames[0].document.title",
    "child",
  ],
  ["fetch", `fetch("${upstream}/echo").then(r=>r.json()).then(b=>window.got=b.method)`, "got", "GET"],
  [
    "fetch of a Request",
    `fetch(new Request("${upstream}/echo")).then(r=>r.json()).then(b=>window.got=b.method)`,
    "got",
    "GET",
  ],
  [
    "XMLHttpRequest",
    `const x=new XMLHttpRequest();x.open("GET","${upstream}/echo");x.onload=()=>window.got=x.status;x.send()`,
    "got",
    200,
  ],
  [
    "EventSource",
    `new EventSource("${at("data: 1\n\n", "text/event-stream")}").onmessage=e=>window.got=e.data`,
    "got",
    "1",
  ],
  [
    "WebSocket",
    `window.got=new WebSocket("${upstream.replace("http", "ws")}/echo").url.startsWith(location.origin.replace("http","ws"))`,
    "got",
    true,
  ],
  ["worker", `new Worker("${worker}").onmessage=e=>window.got=e.data`, "got", 1],
  ["module worker", `new Worker("${worker}",{type:"module"}).onmessage=e=>window.got=e.data`, "got", 1],
  ["shared worker", `new SharedWorker("${shared}").port.onmessage=e=>window.got=e.data`, "got", 1],
  [
    "service worker",
    `navigator.serviceWorker.register("${at("0", "text/javascript")}",{scope:"${upstream}/none/"}).then(r=>window.got=r.scope)`,
    "got === location.origin+'/none/'",
    true,
  ],
  ["pushState", `history.pushState(1,"","${upstream}/pushed")`, "location.href === ORIGIN+'/pushed'", true],
  [
    "replaceState",
    `history.replaceState(1,"","${upstream}/replaced?a#b")`,
    "location.href === ORIGIN+'/replaced?a#b'",
    true,
  ],
  ["location", `location="${child}"`, "location.href.startsWith(ORIGIN) && document.title", "child"],
  ["new Audio", `window.got=new Audio("${upstream}/a").src.startsWith(location.origin)`, "got", true],
];

/** Sees that a document loads all from the proxy. */
async function walk(page, body, expression, want, options) {
  // A refresh may come before the answer.
  await page
    .goto(app + pathOf(`<!doctype html><body>${body}`, options))
    .catch((e) => expect(e.message).toContain("interrupted"));
  const value = expression.replace("ORIGIN", JSON.stringify(app));
  await expect
    .poll(() => page.evaluate(`(()=>{try{return ${value}}catch(e){return String(e)}})()`).catch(String))
    .toEqual(want);
  const past = await page.evaluate(
    (from) =>
      performance
        .getEntriesByType("resource")
        .map((e) => e.name)
        .filter((n) => n.startsWith(from)),
    upstream,
  );
  return past;
}

for (const [name, body, expression, want] of markup)
  test(`R-360 in markup: ${name}`, async ({ page }) => {
    expect(await walk(page, body, expression, want)).toEqual([]);
  });

for (const [name, code, expression, want] of script)
  test(`R-360 by script: ${name}`, async ({ page }) => {
    const past = await walk(page, `<script>${code}</script>`, expression, want);
    if (!name.includes("innerHTML")) expect(past).toEqual([]); // begun before the agent sees the element
  });

test("R-360 an iframe by innerHTML whose document no script may read loads once", async ({ page }) => {
  const policy = "Content-Security-Policy: sandbox allow-scripts";
  const closed = at("<script>parent.postMessage(location.host,'*')</script>", "text/html", { h: [policy] });
  const code = `window.came=0;onmessage=(e)=>e.data===location.host&&came++;document.body.innerHTML="<iframe src='${closed}'></iframe>"`;
  await page.goto(app + pathOf(`<!doctype html><body><script>${code}</script>`));
  await expect.poll(() => page.evaluate("came")).toBeGreaterThanOrEqual(1);
  await page.evaluate("fetch('/echo').then((r) => r.text())");
  expect(await page.evaluate("came")).toBe(1);
});

// A browser drops the navigation to the proxy when the document of another process comes at the same moment: an event
// without a request, which the page makes up here.
test("R-360 an iframe by innerHTML goes again when the browser has dropped it", async ({ page }) => {
  const lost = `new MutationObserver((all)=>window.moves=all.length).observe(document.body,{subtree:true,attributes:true});document.querySelector("iframe").dispatchEvent(new Event("load"))`;
  const code = `document.body.innerHTML="<iframe sandbox src='${child}'></iframe>";document.addEventListener("DOMContentLoaded",()=>{${lost}})`;
  await page.goto(app + pathOf(`<!doctype html><body><script>${code}</script>`));
  expect(await page.evaluate("moves")).toBe(1);
});

test("R-360 headers", async ({ page }) => {
  const loaded = "performance.getEntriesByType('resource').filter(e=>e.name.startsWith(ORIGIN+'/asset')).length";
  expect(await walk(page, "<p>", loaded, 1, { h: [`Link: <${css}>; rel=preload; as=style`] })).toEqual([]);
  await page.goto(app + pathOf("", { h: [`Refresh: 0;url=${child}`] }), { waitUntil: "commit" }); // it may go on before it is loaded
  await expect.poll(() => page.title()).toBe("child");
  expect(page.url()).toContain(app);
});

test("R-360 what is left is named", async ({ page }) => {
  const said = page.waitForEvent("console", (m) => m.text().includes("past the proxy"));
  await page.goto(app + pathOf(`<style id=s></style><p><script>s.textContent="p{background:url(${img})}"</script>`));
  expect((await said).text()).toContain(upstream);
});
