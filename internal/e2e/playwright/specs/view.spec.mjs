// What the page looks like, and the world around it.

import { app, expect, pageOf, privileged, test } from "../fixtures.mjs";

/** The colour of a pixel of an image, [r, g, b], and the image's size, read in the page. */
const look = (page, buffer, x, y) => page.evaluate(async ([data, px, py]) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const canvas = document.createElement("canvas"); // WebKit of 2022 has no OffscreenCanvas
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return { size: [image.width, image.height], colour: [...context.getImageData(px, py, 1, 1).data].slice(0, 3) };
}, [buffer.toString("base64"), x, y]);

const near = (a, b) => a.every((v, i) => Math.abs(v - b[i]) < 12);

test("screenshot: of the viewport", async ({ show }) => {
  const page = await show("<style>body{margin:0;background:rgb(0,128,0)}</style><div style='width:50px;height:50px;background:rgb(200,0,0)'></div><div style='height:3000px'></div>");
  await page.setViewportSize({ width: 400, height: 300 });
  const shot = await page.screenshot();
  const a = await look(page, shot, 20, 20);
  const b = await look(page, shot, 200, 200);
  expect(a.size).toEqual([400, 300]);
  expect(near(a.colour, [200, 0, 0]), String(a.colour)).toBe(true);
  expect(near(b.colour, [0, 128, 0]), String(b.colour)).toBe(true);
});

test("screenshot: of the whole page", async ({ show }) => {
  const page = await show("<style>body{margin:0}</style><div style='height:1200px;background:blue'></div><div style='height:50px;background:rgb(200,0,0)'></div>");
  await page.setViewportSize({ width: 300, height: 200 });
  const shot = await page.screenshot({ fullPage: true });
  const end = await look(page, shot, 100, 1230);
  expect(end.size[1]).toBe(1250);
  expect(Math.abs(end.size[0] - 290), `${end.size[0]} wide`).toBeLessThanOrEqual(10); // 300 without or with a scroll bar
  expect(near(end.colour, [200, 0, 0]), String(end.colour)).toBe(true);
});

test("screenshot: where the page is scrolled to", async ({ show }) => {
  const page = await show("<style>body{margin:0}</style><div style='height:1000px;background:blue'></div><div style='height:1000px;background:rgb(200,0,0)'></div>");
  await page.setViewportSize({ width: 300, height: 200 });
  await page.evaluate(() => scrollTo(0, 1000));
  const { colour } = await look(page, await page.screenshot(), 100, 100);
  expect(near(colour, [200, 0, 0]), String(colour)).toBe(true);
});

test("screenshot: as JPEG, and a clip", async ({ show, inFrame }) => {
  const page = await show("<style>body{margin:0;background:rgb(0,0,200)}</style>");
  const taken = page.screenshot({ type: "jpeg", quality: 80, clip: { x: 10, y: 10, width: 60, height: 40 } });
  if (inFrame()) return expect(taken).rejects.toThrow("the browser encodes no jpeg");
  const shot = await taken;
  expect(shot.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
});

test("element screenshot: has the element's size", async ({ show }) => {
  const page = await show("<div id=t style='margin:30px;width:120px;height:70px;background:rgb(200,0,0)'></div>");
  const { size, colour } = await look(page, await page.locator("#t").screenshot(), 60, 35);
  expect(size).toEqual([120, 70]);
  expect(near(colour, [200, 0, 0]), String(colour)).toBe(true);
});

test("pdf: of the page", async ({ page, inFrame }) => {
  if (inFrame()) return expect(page.pdf()).rejects.toThrow("not possible in an embedded frame");
  expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
});

test("viewport: set, and seen by the page", async ({ show }) => {
  const page = await show("<script>onresize=()=>{document.title=innerWidth+'x'+innerHeight}</script>");
  await page.setViewportSize({ width: 640, height: 480 });
  expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([640, 480]);
  expect(page.viewportSize()).toEqual({ width: 640, height: 480 });
  await expect(page).toHaveTitle("640x480");
  await expect(page.locator("body")).toHaveCSS("display", "block");
});

test("viewport: media queries follow", async ({ show }) => {
  const page = await show("<style>p{color:rgb(1,1,1)}@media(max-width:500px){p{color:rgb(2,2,2)}}</style><p>x</p>");
  await page.setViewportSize({ width: 800, height: 600 });
  await expect(page.locator("p")).toHaveCSS("color", "rgb(1, 1, 1)");
  await page.setViewportSize({ width: 400, height: 600 });
  await expect(page.locator("p")).toHaveCSS("color", "rgb(2, 2, 2)");
});

test("emulation: colour scheme", async ({ show, inFrame }) => {
  const page = await show("<style>@media(prefers-color-scheme:dark){p{color:rgb(3,3,3)}}</style><p>x</p>");
  const dark = page.emulateMedia({ colorScheme: "dark" });
  if (inFrame()) return expect(dark).rejects.toThrow("colour scheme of its frames");
  await dark;
  expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)).toBe(true);
  await expect(page.locator("p")).toHaveCSS("color", "rgb(3, 3, 3)");
  await page.emulateMedia({ colorScheme: "light" });
  expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)).toBe(false);
});

test("emulation: the clock", async ({ page }) => {
  await page.clock.install({ time: new Date("2024-02-02T08:00:00Z") });
  await page.goto(pageOf("<p></p><script>setInterval(()=>{document.querySelector('p').textContent=new Date().toISOString()},1000)</script>"));
  await page.clock.pauseAt(new Date("2024-02-02T10:00:00Z"));
  await page.clock.runFor(2000);
  await expect(page.locator("p")).toHaveText("2024-02-02T10:00:02.000Z");
});

test("emulation: permissions", async ({ context, inFrame }) => {
  if (inFrame()) return expect(context.grantPermissions(["geolocation"], { origin: app })).rejects.toThrow("permissions belong to the embedding browser");
  const granted = context.grantPermissions(["geolocation"], { origin: app });
  if (!privileged) return expect(granted).rejects.toThrow("needs scope privileged");
  await granted;
  await context.clearPermissions();
});
