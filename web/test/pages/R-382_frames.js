// R-382 A picture has the frames of another origin that have an agent: it draws its document itself.
const inside = new URLSearchParams({ html: "<style>body{margin:0;background:rgb(0,0,255)}</style>inside" });
await visit("/outer", {
  html: `<body style="margin:0"><iframe style="border:0;padding:10px;width:200px;height:100px" src="${OTHER}/inner?${inside}"></iframe>`,
});
await cdp("Page.enable");
await until("the agent in the frame", async () =>
  (await cdp("Page.getFrameTree")).frameTree.childFrames?.some(({ frame }) => frame.url.startsWith(OTHER)),
);
const blue = [0, 0, 255, 255],
  white = [255, 255, 255, 255];
await until(
  "the frame in the picture",
  async () => {
    const { at } = await decoded((await cdp("Page.captureScreenshot")).data);
    return JSON.stringify([at(110, 100), at(5, 5), at(400, 300)]) === JSON.stringify([blue, white, white]);
  },
  20_000,
);
is((await cdp("Page.getFrameTree")).frameTree.childFrames.length, 1);
