const body =
  "<style>body{margin:0;background:#fff}div{position:absolute;width:50px;height:50px;left:100px;top:100px;background:rgb(0,128,0)}</style><div></div><p>text</p>";

const frames = () => events.filter((e) => e.method === "Page.screencastFrame").map((e) => e.params);
const nth = (n) => until("picture " + n, () => frames()[n - 1]);
const rgb = (picture, x, y) => picture.at(x, y).slice(0, 3);

await visit("/shot", { html: body });
events.length = 0;
await cdp("Page.startScreencast", { format: "png", maxWidth: 400, maxHeight: 10_000 });
let p = await nth(1);
is(p.metadata.deviceWidth + "x" + p.metadata.deviceHeight, "800x600", "the viewport, in CSS pixels");
const shown = await decoded(p.data);
is(
  [shown.size, rgb(shown, 60, 60)],
  [
    [400, 300],
    [0, 128, 0],
  ],
  "half as large",
);
is(
  typeof events.find((e) => e.method === "Page.screencastVisibilityChanged")?.params.visible,
  "boolean",
  "it says first whether the page is visible",
);

// Nothing changes, and so nothing is drawn: the rasteriser's own elements are no change.
await new Promise((r) => setTimeout(r, 1200));
is(frames().length, 1, "no picture without a change");

// A change is drawn without an acknowledgement once, then not before one.
await value("void (document.querySelector('div').style.background = 'blue')");
await nth(2);
for (const colour of ["red", "black"])
  await value(`void (document.querySelector('div').style.background = '${colour}')`);
await new Promise((r) => setTimeout(r, 800));
is(frames().length, 2, "two are without an acknowledgement");
await cdp("Page.screencastFrameAck", { sessionId: p.sessionId });
is(rgb(await decoded((await nth(3)).data), 60, 60), [0, 0, 0], "the newest state, not the one between");

await cdp("Page.screencastFrameAck", { sessionId: p.sessionId });
await cdp("Page.screencastFrameAck", { sessionId: p.sessionId });
await value(
  "void document.body.append(Object.assign(document.createElement('p'), { id: 'host', textContent: 'x' }));" +
    "document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<b>inside</b>'",
);
p = await nth(4);
await cdp("Page.screencastFrameAck", { sessionId: p.sessionId });
await new Promise((r) => setTimeout(r, 300));
const drawn = frames().length;
await value("void (document.querySelector('#host').shadowRoot.firstChild.textContent = 'changed')");
await nth(drawn + 1);

// It goes on in the next document.
await cdp("Page.screencastFrameAck", { sessionId: p.sessionId });
const before = frames().length;
state.sessions[0].screencast = { format: "png" }; // as a Host has noted
await visit("/shot", { html: body.replace("rgb(0,128,0)", "rgb(255,0,0)") });
await until("a picture of the next document", () => frames().length > before);
await cdp("Page.stopScreencast");

// While a person acts in the pictures, drawing may take half of the page's time, and not a fifth.
const pause = async (inUse) => {
  await value(
    "void (window.timer = setInterval(() => (document.querySelector('div').style.left = Math.random() * 200 + 'px'), 1))",
  );
  await cdp("Page.startScreencast", { format: "png", inUse });
  const first = frames().length;
  for (let n = 1; n < 12; n++) await cdp("Page.screencastFrameAck", { sessionId: (await nth(first + n)).sessionId });
  const times = frames()
    .slice(first + 1)
    .map((f) => f.metadata.timestamp);
  await cdp("Page.stopScreencast");
  await value("clearInterval(timer)");
  const gaps = times.slice(1).map((t, i) => t - times[i]);
  return gaps.sort((a, b) => a - b)[gaps.length >> 1];
};
// Other work on the machine can lengthen any of them: three rounds, of which one suffices.
const rounds = [];
while (rounds.length < 3 && !rounds.some(([slow, quick]) => quick < slow * 0.8))
  rounds.push([await pause(false), await pause(true)]);
if (!rounds.some(([slow, quick]) => quick < slow * 0.8))
  throw new Error("seconds between pictures, of a page in use second: " + rounds.join("; "));

events.length = 0;
await value("void document.body.append('more')");
await new Promise((r) => setTimeout(r, 500));
is(frames().length, 0, "it has stopped");

await fails(cdp("Page.startScreencast", { format: "gif" }), "Invalid image format");
