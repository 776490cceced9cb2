// Windows that a blank page opens are Targets as those of any page: no call goes to the browser.
const script = document.createElement("script");
script.src = APP + "/host.js";
await new Promise((r) => ((script.onload = r), document.head.append(script)));
const frames = new Map();
const host = new CdpHub.Host({
  agentUrl: APP + "/agent.js",
  createTarget({ url }, openerId) {
    const iframe = document.createElement("iframe");
    if (/^http/.test(url)) iframe.src = url;
    const id = host.pair(iframe, { origins: [APP], openerId });
    document.body.append(iframe);
    return frames.set(id, { iframe, url }) && id;
  },
  closeTarget: (id) => frames.get(id).iframe.remove(),
});
const blank = document.createElement("iframe");
document.body.append(blank);
host.pair(blank, { targetId: "blank", origins: [APP] });
const target = (id) => host.targets().find((t) => t.targetId === id);
await until("paired", () => target("blank")?.connected);
const evaluate = async (session, expression) => {
  const r = await session.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  return r.exceptionDetails?.exception.description ?? r.result.value;
};
const client = host.attach("blank");
for (const [call, url, reached] of [
  ["open('')", "about:blank", true],
  ["open()", "about:blank", true],
  ["open('', 'named')", "about:blank", true],
  ["open('about:blank')", "about:blank", true],
  ["open(undefined, null, 'noopener')", "about:blank", false],
  [`open('${APP}/two')`, APP + "/two", true],
]) {
  is(await evaluate(client, `!!(window.made = ${call})`), reached, call);
  const [id, opened] = await until("a Target for " + call, () => [...frames][0]);
  is(opened.url, url, call);
  await until("the window of " + call, () => target(id)?.connected);
  is(await evaluate(host.attach(id), "!!window.opener"), reached, call);
  if (reached) is(await evaluate(client, "made.closed || (made.close(), made.closed)"), true, call);
  else frames.get(id).iframe.remove();
  frames.clear();
}
is(await evaluate(client, "try { open('x'); 1 } catch (e) { e.name }"), "SyntaxError", "which is no address here");
await evaluate(client, "document.body.innerHTML = '<a target=_blank href=relative>to</a>', document.links[0].click()");
is((await until("the window of a link", () => [...frames][0]))[1].url, "about:blank", "as in Chromium 156");
is(await evaluate(client, "open('', '_top') === window"), true);
