const body =
  "<style>body{margin:0;background:#fff}div{position:absolute;width:50px;height:50px}</style>" +
  '<div style="left:100px;top:100px;background:rgb(0,128,0)"></div><div style="left:0;top:1950px;background:rgb(0,0,255)"></div>';

async function picture(params) {
  const { data } = await cdp("Page.captureScreenshot", params);
  const bytes = atob(data);
  return { ...(await decoded(data)), bytes, labelled: bytes.includes("cdphub DOM rasteriser") };
}
const white = [255, 255, 255, 255],
  green = [0, 128, 0, 255],
  blue = [0, 0, 255, 255];

await visit("/shot", { html: body });
for (const d of ["Page", "Network", "DOM"]) await cdp(d + ".enable");
await cdp("DOM.getDocument", { depth: -1 });
events.length = 0;
let p = await picture({});
is(p.size, [800, 600], "the viewport");
is([p.at(110, 110), p.at(10, 10)], [green, white]);
is([p.bytes.slice(1, 4), p.labelled], ["PNG", true]);
is(p.bytes.indexOf("tEXtSoftware\0cdphub"), 37, "the chunk follows IHDR");
is(await value("document.querySelectorAll('[data-cdphub-internal]').length"), 0, "nothing is left behind");
is(
  events.filter((e) => /^(Network|Page\.frame|DOM)/.test(e.method)).map((e) => e.method),
  [],
  "the client hears nothing of it",
);

// Regions.
await value("scrollTo(0, 1400)");
is((await picture({})).at(10, 560), blue, "where the page is scrolled to");
p = await picture({ captureBeyondViewport: true });
is(
  [p.size, p.at(110, 110), p.at(10, 1960)],
  [[await value("document.documentElement.clientWidth"), 2000], green, blue],
  "all of it",
);
p = await picture({ captureBeyondViewport: true, clip: { x: 90, y: 90, width: 30.4, height: 20.6, scale: 2 } });
is([p.size, p.at(10, 10), p.at(30, 30)], [[61, 41], white, green], "a part, enlarged");
is((await picture({ clip: { x: 0, y: 1940, width: 0.2, height: 0.2, scale: 1 } })).size, [1, 1]);

// Formats.
for (const [format, kind] of [
  ["jpeg", "\xff\xd8\xff"],
  ["webp", "RIFF"],
]) {
  p = await picture({ format, quality: 80, clip: { x: 100, y: 100, width: 40, height: 41, scale: 1 } });
  is([p.bytes.startsWith(kind), p.labelled, p.size], [true, true, [40, 41]], format);
  is(
    p.at(20, 20).every((c, i) => Math.abs(c - green[i]) < 4),
    true,
    format + " has the colour",
  );
}
const low = await picture({ format: "jpeg", quality: 1 }),
  high = await picture({ format: "jpeg", quality: 100 });
is(low.bytes.length < high.bytes.length, true, "quality counts");

// Without a background of its own the page shows the override.
await value("document.body.style.background = 'none'");
await cdp("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
is((await picture({})).at(10, 10), [0, 0, 0, 0], "transparent");
await cdp("Emulation.setDefaultBackgroundColorOverride", { color: { r: 255, g: 0, b: 0 } });
is((await picture({})).at(10, 10), [255, 0, 0, 255]);
await cdp("Emulation.setDefaultBackgroundColorOverride");
is((await picture({})).at(10, 10), white);

// Refusals.
await fails(cdp("Page.captureScreenshot", { format: "gif" }), "Invalid image format");
await fails(cdp("Page.captureScreenshot", { clip: { x: 0, y: 0, width: 10, height: 10 } }), "Invalid parameters");
await fails(
  cdp("Page.captureScreenshot", { clip: { x: 0, y: 0, width: 0, height: 10, scale: 1 } }),
  "Unable to capture screenshot",
);
await fails(
  cdp("Page.captureScreenshot", { clip: { x: 0, y: 0, width: 40000, height: 10, scale: 1 } }),
  "Page.captureScreenshot is not possible in an embedded frame: no canvas holds 40000 by 10 pixels",
);

// The server has the picture of the page no more: the page still shows what came.
await value(
  "new Promise((r) => Object.assign(document.body.appendChild(new Image()), { src: '/once.svg', onload: r, style: 'position:fixed;left:300px;top:100px' })).then(() => 1)",
);
is((await picture({})).at(310, 110), green, "a picture that is kept");

// What cannot be read is left out.
const foreign = location.origin.replace("127.0.0.1", "localhost") + "/";
await value(
  `document.body.insertAdjacentHTML("beforeend", '<img src="${foreign}nothing.png"><iframe src="${foreign}"></iframe>'); 1`,
);
is((await picture({ captureBeyondViewport: true })).at(110, 110), green);

// Names that HTML has, and XML does not: in templates of Angular, and in text from a word processor.
await visit("/names", {
  html: `<style>o\\:p{position:absolute;left:200px;top:0;width:50px;height:50px;background:rgb(0,0,255)}</style>${body}
    <p [value]="a" (click)="b" #ref *ngIf="c" 1d a'=e @f :g>p</p><o:p [h]="i"><b (j)="k">b</b></o:p><svg><a@b></a@b></svg><template><o:q [l]></o:q></template>`,
});
p = await picture({});
is([p.at(110, 110), p.at(240, 40)], [green, blue]);

// Policies.
for (const csp of [
  "script-src 'self'",
  "script-src 'nonce-abc'",
  "script-src 'nonce-abc' 'strict-dynamic'",
  "require-trusted-types-for 'script'; script-src 'self' 'unsafe-eval'",
]) {
  await visit("/policy", { html: body, csp });
  is((await picture({})).at(110, 110), green, csp);
}
await visit("/policy", { html: body, csp: "img-src 'self'" });
await fails(
  cdp("Page.captureScreenshot"),
  "Page.captureScreenshot is not possible in an embedded frame: the page's Content Security Policy allows no data: images",
);
