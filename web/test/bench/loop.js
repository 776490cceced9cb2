// What a page's own work takes in a document with an agent and no client, and in one without an agent, in turns.
const app = `<ul id=list></ul><script src=/loop.js><\/script><script>
  onmessage = async (e) => {
    if (e.data.work) e.source.postMessage({ took: await timed(e.data.work, e.data.n) }, "*");
  };
<\/script>`;
const show = async (path, query) => {
  const iframe = document.createElement("iframe");
  iframe.src = APP + path + "?" + new URLSearchParams(query);
  iframe.style = "position:fixed;top:0;left:300px;width:300px;height:300px"; // timers of a frame out of sight are slowed down
  await new Promise((r) => ((iframe.onload = r), document.body.append(iframe)));
  return iframe.contentWindow;
};
const run = (win, work, n) =>
  new Promise((r) => {
    const heard = (e) => {
      if (e.source !== win || e.data?.took === undefined) return;
      removeEventListener("message", heard);
      r(e.data.took);
    };
    addEventListener("message", heard);
    win.postMessage({ work, n }, "*");
  });
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

state.sessions.length = 0;
frame.style = "position:fixed;top:0;left:0;width:300px;height:300px";
await visit("/with", { html: app });
const pages = { with: frame.contentWindow, without: await show("/without", { html: app, bare: 1 }) };
const figures = {};
for (const [work, n] of Object.entries({ dom: 500, fetch: 20, xhr: 20, timers: 20, console: 500 })) {
  const took = { with: [], without: [] };
  for (let round = 0; round < 21; round++)
    for (const side of round % 2 ? ["with", "without"] : ["without", "with"])
      took[side].push(await run(pages[side], work, n));
  figures[`${work}-ratio`] = median(took.with) / median(took.without);
  figures[`${work}-us/op`] = (median(took.without) / n) * 1000;
}
report(figures);
