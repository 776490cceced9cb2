// R-356 Of a long page, most elements are out of the picture, and are copied as few boxes. The picture is the same as
// what the picture of the whole document has at that place, whatever stands in a column.

const colour = (n) => `rgb(${(n * 37) % 256},${(n * 91) % 256},${(n * 153) % 256})`;
const block = (n, style = "", inner = "") =>
  `<div class="b" style="background:${colour(n)};${style}">${n} ${inner}</div>`;
const many = (of, wrap = (x) => x) => wrap(Array.from({ length: 90 }, (_, n) => of(n)).join(""));

const kinds = {
  "blocks with margins that collapse": many((n) => block(n, `margin:${n % 7}px ${n % 5}px ${(n * 3) % 11}px`)),
  "blocks of which some have negative margins": many((n) => block(n, n % 6 ? "" : "margin-top:-9px")),
  "blocks of which some are moved, floating or cleared": many((n) =>
    block(
      n,
      ["", "position:relative;top:9px", "float:left;width:30%", "clear:both", "transform:translateY(-9px)"][n % 5],
    ),
  ),
  "blocks with text between": many((n) => block(n) + (n % 4 ? "\n  " : ` text ${n} `)),
  "blocks in blocks": many((n) => `<section><h2>${n}</h2>${block(n)}<p>A text of a paragraph, ${n}</p></section>`),
  "a list with bullets": many(
    (n) => `<li>item ${n}`,
    (x) => `<ul>${x}</ul>`,
  ),
  "a list with numbers": many(
    (n) => `<li>item ${n}`,
    (x) => `<ol>${x}</ol>`,
  ),
  "blocks that count": many(
    (n) => `<p class="c">counted ${n}</p>`,
    (x) => `<div style="counter-reset:c">${x}</div>`,
  ),
  "flexible columns": many(
    (n) => block(n),
    (x) => `<div style="display:flex;flex-direction:column;gap:3px">${x}</div>`,
  ),
  "a grid": many(
    (n) => block(n),
    (x) => `<div style="display:grid;grid-template-columns:1fr 3fr">${x}</div>`,
  ),
  "a table": many(
    (n) => `<tr><td>${n}<td>${"x".repeat(n)}`,
    (x) => `<table border="1">${x}</table>`,
  ),
  "columns of text": many(
    (n) => block(n),
    (x) => `<div style="columns:3">${x}</div>`,
  ),
  "a box that scrolls": many(
    (n) => block(n),
    (x) => `<div id="box" style="height:400px;overflow:auto">${x}</div>`,
  ),
  "blocks that are drawn smaller": many(
    (n) => block(n),
    (x) => `<div style="zoom:0.5">${x}${x}</div>`,
  ),
  "vertical text": many(
    (n) => `<p>${n}</p>`,
    (x) => `<div style="writing-mode:vertical-rl;height:90px">${x}</div>`,
  ),
  "blocks with children that reach far": many((n) =>
    block(n, "", n % 9 ? "" : `<i style="position:absolute;margin-top:700px;background:${colour(n)}">far ${n}</i>`),
  ),
};
const style =
  "<style>html{scrollbar-width:none}body{margin:0 0 900px;font:14px/18px monospace}.b{min-height:18px}" +
  ".c{counter-increment:c}.c::before{content:counter(c) '. '}#box{scrollbar-width:none}</style>";

/** The pixels of a part of a picture. */
async function pixels(data, y, height) {
  const image = new Image();
  image.src = "data:;base64," + data;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [800, height];
  canvas.getContext("2d").drawImage(image, 0, -y);
  return canvas.getContext("2d").getImageData(0, 0, 800, height).data;
}

for (const [kind, html] of Object.entries(kinds)) {
  await visit("/long", { html: style + html });
  for (const to of [0, 731, 1203]) {
    const y = await value(
      `document.querySelector("#box")?.scrollTo(0, ${to}); scrollTo(0, document.querySelector("#box") ? 0 : ${to}); scrollY`,
    );
    const height = 600;
    const part = await pixels((await cdp("Page.captureScreenshot")).data, 0, height);
    const whole = await pixels((await cdp("Page.captureScreenshot", { captureBeyondViewport: true })).data, y, height);
    let differ = 0;
    for (let i = 0; i < part.length; i += 4)
      if ([0, 1, 2].some((c) => Math.abs(part[i + c] - whole[i + c]) > 8)) differ++;
    is(differ, 0, `${kind}, at ${y}: pixels that differ from the picture of the whole document`);
  }
}
