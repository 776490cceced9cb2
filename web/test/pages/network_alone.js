// A frame with the agent whose parent is no Host: its requests wait but at its start, and not for long.
const alone = document.createElement("iframe");
const script = `const took = (f) => { const t = performance.now(); return f().then(() => performance.now() - t); };
  const ask = () => fetch("/data.json").then((r) => r.text());
  const xhr = () => new Promise((done) => { const x = new XMLHttpRequest(); x.open("GET", "/data.json"); x.onload = done; x.send(); });
  (async () => {
    const first = await Promise.all([took(ask), took(xhr)]);
    await new Promise((r) => setTimeout(r, 500));
    parent.postMessage({ first, later: [await took(ask), await took(xhr)] }, "*");
  })();`;
alone.src = APP + "/alone?" + new URLSearchParams({ html: `<script>${script}<\/script>` });
const times = new Promise((done) => addEventListener("message", (e) => e.data.first && done(e.data)));
document.body.append(alone);
const { first, later } = await times;
is(
  first.every((t) => t < 3000),
  true,
  "at the start: " + first,
);
is(
  later.every((t) => t < 250),
  true,
  "later: " + later,
);
