// The events are those of Chromium 156 after the same steps, without its
// pseudo elements and with DOM.attributeModified for a style set by script.
const body =
  "<ul id=list><li>one</li> <li>two</li></ul><p id=p>text</p><div id=deep><span><b>x</b><i>y</i></span></div>";
await visit("/events", { html: body });
await cdp("DOM.enable");

const names = new Map([[0, "none"]]);
function learn(node) {
  names.set(node.nodeId, node.nodeName === "#text" ? node.nodeValue : node.localName);
  for (const c of node.children ?? []) learn(c);
  for (const c of node.shadowRoots ?? []) learn(c);
  if (node.contentDocument) learn(node.contentDocument);
}
learn((await cdp("DOM.getDocument", { depth: 4 })).root);

function tell({ method, params: p }) {
  const name = (id) => names.get(id) ?? "unknown";
  switch (method) {
    case "DOM.childNodeInserted":
      learn(p.node);
      return `+ ${name(p.node.nodeId)} in ${name(p.parentNodeId)} after ${name(p.previousNodeId)}`;
    case "DOM.childNodeRemoved":
      return `- ${name(p.nodeId)} of ${name(p.parentNodeId)}`;
    case "DOM.childNodeCountUpdated":
      return `${name(p.nodeId)} has ${p.childNodeCount}`;
    case "DOM.attributeModified":
      return `${name(p.nodeId)} ${p.name}=${p.value}`;
    case "DOM.attributeRemoved":
      return `${name(p.nodeId)} ${p.name} removed`;
    case "DOM.characterDataModified":
      return `${name(p.nodeId)} is ${p.characterData}`;
  }
  return method;
}

async function after(step) {
  events.length = 0;
  await value(`${step}; 0`);
  await value("new Promise((r) => setTimeout(r))");
  return events.filter((e) => e.method.startsWith("DOM.")).map(tell);
}

for (const [step, ...want] of [
  ["p.setAttribute('title', 'a')", "p title=a"],
  ["p.removeAttribute('title')", "p title removed"],
  ["p.firstChild.data = 'changed'", "text is changed"],
  ["list.append(document.createElement('li'))", "+ li in ul after li"],
  ["list.prepend(list.lastChild)", "- li of ul", "+ li in ul after none"],
  ["list.firstChild.remove()", "- li of ul"],
  ["list.append('  ')"],
  ["list.append('words')", "+ words in ul after li"],
  ["deep.firstChild.append(document.createElement('u'))", "span has 3"],
  ["deep.firstChild.lastChild.remove()", "span has 2"],
  ["p.textContent = ''", "- text of p"],
  ["p.textContent = 'again'", "+ again in p after none"],
  ["p.style.color = 'red'", "p style=color: red;"],
  [
    "list.innerHTML = '<li>a</li><li>b</li>'",
    "- li of ul",
    "- li of ul",
    "- words of ul",
    "+ li in ul after none",
    "+ li in ul after li",
  ],
  ["list.firstChild.firstChild.data = 'c'", "a is c"],
  ["document.body.append(list.firstChild)", "- li of ul", "+ li in body after div"],
  ["deep.firstChild.firstChild.title = 'q'"],
  [
    "document.body.lastChild.outerHTML = '<section><h2>t</h2></section>'",
    "- li of body",
    "+ section in body after div",
  ],
  ["document.body.lastChild.firstChild.title = 'v'"],
  ["p.firstChild.data = ' '", "again is  ", "- again of p"],
  [
    "for (const n of ['i', 'b', 'u']) p.prepend(document.createElement(n))",
    "+ u in p after none",
    "+ b in p after u",
    "+ i in p after b",
  ],
  [
    "p.append(p.firstChild, document.createElement('q')); p.append(' '); p.firstChild.replaceWith(document.createElement('s'))",
    "- u of p",
    "- b of p",
    "+ u in p after i",
    "+ q in p after u",
    "+ s in p after none",
  ],
])
  is(await after(step), want, step);

// A client hears of what it has asked for since.
const section = [...names].find(([, name]) => name === "section")[0];
await cdp("DOM.requestChildNodes", { nodeId: section });
learn((await event("DOM.setChildNodes")).nodes[0]);
is(await after("document.body.lastChild.firstChild.title = 'w'"), ["h2 title=w"]);

// Shadow roots and frames that it knows.
await value(
  "p.attachShadow({ mode: 'open' }).innerHTML = '<em></em>'; new Promise((r) => { const f = document.createElement('iframe'); f.srcdoc = '<s></s>'; f.onload = () => r(1); document.body.append(f) })",
);
learn((await cdp("DOM.getDocument", { depth: -1, pierce: true })).root);
is(await after("p.shadowRoot.firstChild.title = 'in'"), ["em title=in"]);
is(await after("document.querySelector('iframe').contentDocument.body.firstChild.title = 'below'"), ["s title=below"]);

// Each client has a tree of its own, and one that has left hears nothing.
attach("S2");
await cdp("DOM.enable", {}, "S2");
events.length = 0;
await value("deep.title = '1'");
await value("new Promise((r) => setTimeout(r))");
is(
  events.filter((e) => e.method === "DOM.attributeModified").map((e) => e.sessionId),
  ["S1"],
  "S2 has not asked for the document",
);
await cdp("DOM.disable");
is(await after("deep.title = '2'"), []);
await fails(
  cdp("DOM.getNodeStackTraces", { nodeId: -1 }),
  "DOM.getNodeStackTraces is not possible in an embedded frame: needs the browser process",
);
