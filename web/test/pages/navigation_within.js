// Changes of address within a document are told before the answer to the
// command that made them, each once. As in Chromium 156.
await visit("/within");
await cdp("Page.enable");
const told = async (expression) => {
  events.length = 0;
  await cdp("Runtime.evaluate", { expression });
  const at = () =>
    events
      .filter((e) => e.method === "Page.navigatedWithinDocument")
      .map((e) => [e.params.url.replace(APP, ""), e.params.navigationType]);
  const first = at();
  await value("new Promise((r) => setTimeout(r, 50))");
  is(at(), first, "nothing is told later or twice: " + expression);
  return first;
};
is(await told("history.replaceState(1, '', '/at'), location.hash = 'one'"), [
  ["/at", "historyApi"],
  ["/at#one", "fragment"],
]);
is(await told("location.href = '#two'"), [["/at#two", "fragment"]]);
is(await told("location.hash = 'two'"), [], "the same fragment");
is(await told("history.pushState(1, '', '/there')"), [["/there", "historyApi"]]);
await value(
  "navigation.addEventListener('navigate', (e) => e.destination.url.endsWith('/taken') && e.intercept({ handler() {} })), 1",
);
is(await told("navigation.navigate('/taken')"), [["/taken", "other"]], "a navigation that the page takes over");
is(await told("navigation.updateCurrentEntry({ state: 1 })"), []);
events.length = 0;
await value("history.back()");
is((await event("Page.navigatedWithinDocument")).url, APP + "/there");
