// R-382 What a picture has that script of the page cannot read: frames of other origins, and images in blank pages.

import { app, expect, other, pathOf, test } from "../fixtures.mjs";

/** The colours of a picture at some points, read in a page of the app. */
async function colours(page, picture, points) {
  return page.evaluate(
    async ([data, at]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const to = canvas.getContext("2d");
      to.drawImage(image, 0, 0);
      return at.map(([x, y]) => [...to.getImageData(x, y, 1, 1).data.slice(0, 3)].join());
    },
    [picture.toString("base64"), points],
  );
}

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="rgb(0,128,0)"/></svg>';
const dot = { contentType: "image/svg+xml", body: svg };

test("a picture has a frame of another origin", async ({ page }) => {
  const inside = encodeURIComponent("<body style='margin:0;background:rgb(0,0,255)'><p>inside");
  await page.goto(
    app +
      pathOf(
        `<body style="margin:0"><iframe style="border:0;padding:10px;width:200px;height:100px" src="${other}/page?body=${inside}"></iframe>`,
      ),
  );
  await expect(page.frameLocator("iframe").locator("p")).toBeVisible();
  expect(
    await colours(page, await page.screenshot(), [
      [110, 60],
      [5, 5],
    ]),
  ).toEqual(["0,0,255", "255,255,255"]);
});

test("a picture of a blank page has the images of the app that routes answer", async ({ page, context }) => {
  const blank = await context.newPage();
  await blank.route("**/*.svg", (route) => route.fulfill(dot));
  await blank.setContent(`<body style="margin:0"><img src="${app}/made-up.svg">`);
  await blank.locator("img").evaluate((img) => img.decode());
  expect(await colours(page, await blank.screenshot(), [[50, 50]])).toEqual(["0,128,0"]);
  await blank.close();
});

test("a picture of a blank page has the images of the app", async ({ page, context }) => {
  const blank = await context.newPage();
  await blank.setContent(
    `<body style="margin:0"><img src="${app}${pathOf(svg, { type: "image/svg+xml" }).replace(/"/g, "&quot;")}">`,
  );
  await blank.locator("img").evaluate((img) => img.decode());
  expect(await colours(page, await blank.screenshot(), [[50, 50]])).toEqual(["0,128,0"]);
  await blank.close();
});
