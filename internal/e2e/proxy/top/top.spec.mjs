// The app's window is its top window: for links and forms that name it, for script, and for what a person does, whose
// trusted input reaches the frame by the browser's own debugging port.

import { chromium } from "@playwright/test";
import { app, expect, pathOf, test } from "../fixtures.mjs";

const there = app + pathOf("<title>there</title>", { path: "/there" });
const form = (target, more = "") =>
  `<form method=post target=${target} action=/echo ${more}><input name=a value=1><button>go</button></form>`;
const frame = (body) =>
  `<iframe name=inner srcdoc='${body.replaceAll("'", "&#39;")}'></iframe><iframe name=beside></iframe>`;

// Name, the document, what is clicked; it is of the main document or of the iframe in it, and leads the main frame to
// "there" or to /echo with the form's data.
const ways = [
  ["a link", `<a target=_top href=${there}>go</a>`],
  ["a link to _parent", `<a target=_parent href=${there}>go</a>`],
  ["base target", `<base target=_top><a href=${there}>go</a>`],
  ["a link of SVG", `<svg width=90 height=40><a target=_top href=${there}><text y=20>go</text></a></svg>`],
  [
    "a link in a shadow tree",
    `<div><template shadowrootmode=open><a target=_top href=${there}>go</a></template></div>`,
  ],
  [
    "an image map",
    `<img usemap=#m width=90 height=40 alt=go><map name=m><area target=_top href=${there} shape=rect coords=0,0,90,40></map>`,
  ],
  ["a form", form("_top")],
  ["a form to _parent", form("_parent")],
  ["a form by formtarget", form("_self").replace("<button", "<button formtarget=_top")],
  [
    "form.submit()",
    `${form("_top")}<script>document.querySelector("button").onclick=(e)=>{e.preventDefault();document.forms[0].submit()}</script>`,
  ],
  [
    "requestSubmit()",
    `${form("_top")}<script>document.querySelector("button").onclick=(e)=>{e.preventDefault();document.forms[0].requestSubmit()}</script>`,
  ],
  ["a form with base target", `<base target=_top>${form("''")}`],
  ["a form of several parts", form("_top", "enctype=multipart/form-data")],
  ["window.open", `<button onclick="window.open('${there}','_top')">go</button>`],
  ["top.location", `<button onclick="top.location='${there}'">go</button>`],
  ["window.top.location.href", `<button onclick="window.top.location.href='${there}'">go</button>`],
  ["parent.location", `<button onclick="parent.location='${there}'">go</button>`],
  ["javascript:", `<a href="javascript:top.location.assign('${there}')">go</a>`],
];
// Script of a child frame cannot navigate the frame around it: see docs/proxy.md.
const mainOnly = /location|javascript/;

async function arrived(page) {
  const shown = () => page.evaluate(() => document.title || document.body?.innerText).catch(String); // between documents
  await expect.poll(shown, { timeout: 8_000 }).toMatch(/^there$|"body":"[^}]*\ba(=1|\\").*"method":"POST"/s);
}

for (const inside of [false, true])
  for (const [name, body] of ways) {
    if (inside && mainOnly.test(name)) continue;
    for (const person of inside ? [true] : [false, true])
      test(`R-363 ${name}${inside ? " in a child frame" : ""}, clicked by ${person ? "a person" : "a client"}`, async ({
        page,
      }) => {
        await page.goto(app + pathOf(`<!doctype html>${inside ? frame(body) : body}`));
        const at = inside ? page.frameLocator("iframe >> nth=0") : page;
        const button = at.locator("a:visible, button, img").first();
        if (!person) await button.click();
        else {
          const box = await button.boundingBox();
          const browser = await chromium.connectOverCDP(process.env.BROWSER);
          const host = browser.contexts()[0].pages()[0];
          const iframe = await host.locator("iframe").first().boundingBox();
          await host.mouse.click(iframe.x + box.x + box.width / 2, iframe.y + box.y + Math.min(box.height / 2, 15));
          await expect.poll(() => host.url()).toContain("/shell");
          await browser.close();
        }
        await arrived(page);
      });
  }

test("R-363 the browser refuses what the agent cannot see", async ({ page }) => {
  await page.goto(app + pathOf(`<button onclick="const t=window['to'+'p'];t.location='${there}'">go</button>`));
  const box = await page.locator("button").boundingBox();
  const browser = await chromium.connectOverCDP(process.env.BROWSER);
  const host = browser.contexts()[0].pages()[0];
  const iframe = await host.locator("iframe").first().boundingBox();
  const refused = host.waitForEvent("console", (m) => /sandbox/i.test(m.text()));
  await host.mouse.click(iframe.x + box.x + 5, iframe.y + box.y + 5);
  await refused;
  expect(host.url()).toContain("/shell");
  await browser.close();
  expect(await page.title()).not.toBe("there");
});

test("R-363 an app may do what it may in a tab", async ({ page }) => {
  await page.goto(app + pathOf("<p>"));
  const said = page.waitForEvent("dialog").then((d) => d.accept().then(() => d.message()));
  await page.evaluate(() => setTimeout(() => alert("modal")));
  expect(await said).toBe("modal");
  expect(
    await page.evaluate(() => [
      origin === location.origin,
      typeof localStorage.length,
      parent === window,
      frameElement,
    ]),
  ).toEqual([true, "number", true, null]);
  const popup = page.waitForEvent("popup");
  await page.evaluate((url) => void open(url), there);
  await (await popup).close();
});

// R-361: busters and readers of the top window, in scripts, in inline scripts and in handlers; in the main frame and in
// a child frame, which gets the app's main window.
const reads = [
  ["top.location.pathname", "/page"],
  ["window.top === window.self", true],
  ["top !== self", false],
  ["self.top.document.title", "main"],
  ["parent.frames === window", true],
  ["parent !== window", false],
];
test("R-361 a script that reads top gets the app's window", async ({ page }) => {
  const code = `window.got=[${reads.map(([c]) => `(()=>{try{return ${c}}catch(e){return e.name}})()`)}]`;
  const js = pathOf(code, { type: "text/javascript", path: "/asset" });
  for (const body of [
    `<script>${code}</script>`,
    `<script src="${js}"></script>`,
    `<body onload="${code}">`,
    `<script type=module>${code}</script>`,
  ]) {
    await page.goto(app + pathOf(`<!doctype html><title>main</title>${body}`));
    await expect.poll(() => page.evaluate("window.got")).toEqual(reads.map(([, value]) => value));
  }
  await page.goto(
    app +
      pathOf(
        `<!doctype html><title>main</title><iframe src='${pathOf(`<script>got=[top===parent,top.document.title,window.top===self]</script>`, { path: "/child" })}'></iframe>`,
      ),
  );
  await expect.poll(() => page.evaluate("frames[0].got")).toEqual([true, "main", false]);
});

test("R-370 a Client's program that reads top gets the app's window, and so does a srcdoc that it writes", async ({ page }) => {
  for (const address of ["about:blank", `${app}/page`]) {
    await page.goto(address);
    await page.setContent(
      `<title>main</title><iframe srcdoc="<script>window.top.came = 'window.top'</script><p>window.top</p>"></iframe>`,
    );
    await page.frameLocator("iframe").locator("p").waitFor();
    const inner = page.frames()[1];
    expect(await page.evaluate("came")).toBe("window.top");
    expect(await inner.innerText("p")).toBe("window.top");
    expect(await inner.evaluate(() => [window.top === parent, self.top.document.title, "window.top"])).toEqual([true, "main", "window.top"]);
    const left = await inner.evaluate(() => {
      const own = { window: { top: 1 } };
      // window.top
      return [own.window.top, /window.top/.source, `window.top`];
    });
    expect(left).toEqual([1, "window.top", "window.top"]);
  }
});
