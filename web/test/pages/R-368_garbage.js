// R-368 HeapProfiler.collectGarbage collects what nothing holds, and nothing else.
await visit("/small", { html: "<b>x</b><i>y</i>" });
await value(`(() => {
  globalThis.kept = { a: 1 };
  globalThis.refs = [new WeakRef(kept), new WeakRef({}), ...[...document.querySelectorAll("b,i")].map((e) => new WeakRef(e))];
})()`);
const alive = () => value("refs.map((r) => r.deref() !== undefined)");
await cdp("HeapProfiler.collectGarbage");
is(await alive(), [true, false, true, true]);
await value("kept = document.querySelector('b').remove()");
is(await cdp("HeapProfiler.collectGarbage"), {});
is(await alive(), [false, false, false, true]);
