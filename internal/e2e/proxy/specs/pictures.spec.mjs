// R-382 A picture has what script of the page cannot read: frames of other origins that have an agent.

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
