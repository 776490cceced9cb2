const body = `<style>
body{margin:0}div{position:absolute;width:40px;height:40px;color:rgb(0,0,0)}#sub{display:none}
#menu:hover #sub{display:block}
.hover\\:red:hover,.other{color:rgb(255,0,0)}
@media (min-width:1px){#media:hover{color:rgb(0,255,0)}}
#nest{&:hover{color:rgb(0,0,255)}}
#not:not(:hover){color:rgb(1,1,1)}
#plain{left:300px}
@supports (display:grid){#before:hover::before{content:"hovered"}}
</style><div id=menu>menu<div id=sub style="top:40px">item</div></div><div id=tw class="hover:red" style="left:50px">t</div>
<div id=media style="left:100px">m</div><div id=nest style="left:150px">n</div><div id=not style="left:200px">o</div><div id=before style="left:250px">b</div>
<div id=plain>p</div><div id=host style="left:350px"></div>`;
const move = (x, y = 20) => cdp("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
const colour = (id) => value(`getComputedStyle(document.getElementById("${id}")).color`);
const untouched = "document.querySelectorAll('[data-hub-hover]').length";

await visit("/hover", { html: body });
await value(
  "host.attachShadow({ mode: 'open' }).innerHTML = '<style>:host(:hover) p{color:rgb(9,9,9)}p{margin:0;height:40px}</style><p>s</p>'",
);
is(
  await value("[...document.styleSheets[0].cssRules].filter((r) => r.cssText.includes('data-hub')).length"),
  0,
  "nothing before the first move",
);
await move(20);
is(await value("getComputedStyle(sub).display"), "block", "a menu opens");
is(await value("[document.body.outerHTML, menu.innerHTML].some((html) => html.includes('data-hub'))"), false, "markup");
is(
  await value(
    "[menu.attributes.length, menu.attributes[0].name, menu.attributes[1]?.name, [...menu.attributes].length, menu.attributes.getNamedItem('id').value]",
  ),
  [1, "id", null, 1, "menu"],
);
await move(20, 60);
is(
  await value("[getComputedStyle(sub).display, document.elementFromPoint(20, 60).id]"),
  ["block", "sub"],
  "and stays open over its own item",
);
await move(70);
is(await value("getComputedStyle(sub).display"), "none", "it closes");
is(await colour("tw"), "rgb(255, 0, 0)", "an escaped colon is part of the name");
await move(120);
is([await colour("tw"), await colour("media")], ["rgb(0, 0, 0)", "rgb(0, 255, 0)"]);
await move(170);
is(await colour("nest"), "rgb(0, 0, 255)");
is(await colour("not"), "rgb(1, 1, 1)");
await move(220);
is(await colour("not"), "rgb(0, 0, 0)");
await move(270);
is(await value("getComputedStyle(before, '::before').content"), '"hovered"');
await move(370);
is(await value("getComputedStyle(host.shadowRoot.querySelector('p')).color"), "rgb(9, 9, 9)");

// Rules that come later, and in sheets that scripts make.
await value("document.styleSheets[0].insertRule('#plain:hover{color:rgb(5,5,5)}', 0)");
await move(320);
is(await colour("plain"), "rgb(5, 5, 5)");
await value(
  "s = new CSSStyleSheet(); s.replaceSync('#tw:hover{color:rgb(6,6,6)!important}'); document.adoptedStyleSheets = [s]",
);
await move(70);
is(await colour("tw"), "rgb(6, 6, 6)");
await cdp("DOM.enable");
await cdp("DOM.getDocument", { depth: -1 });
events.length = 0;
await move(120);
await value("new Promise((r) => setTimeout(r))");
is(
  events.filter((e) => e.method.startsWith("DOM.")),
  [],
  "clients hear nothing of it",
);

// A page without such rules stays as it is.
await visit("/plain", { html: "<style>p{color:red}.hover\\:x{color:blue}</style><p>text" });
await move(20, 20);
is(await value(untouched), 0);

// Selectors of page script; only from the first one on there are marks.
await value("(one = document.querySelector('p'), one.insertAdjacentHTML('afterend', '<p id=two>two</p>'), 1)");
is(
  await value(
    "[document.querySelector('p:hover') === one, one.matches(':hover'), two.matches('p:not(:hover)'), document.querySelectorAll(':hover').length]",
  ),
  [true, true, true, 3],
);
await move(20, await value("two.getBoundingClientRect().top + 5"));
is(
  await value(
    "[two.matches(':hover'), one.matches(':hover'), two.firstChild.parentNode.closest('body:hover') === document.body]",
  ),
  [true, false, true],
);
is(await value("[one.matches('.hover\\\\:x'), String(one.matches).length > 0]"), [false, true]);
