// A trivial Frame Agent: enough of the protocol to try a Host against.
(() => {
  const parents = (document.currentScript.dataset.parents || "").split(" ");
  const docId = String(Math.random());
  const hello = () => parents.forEach((p) => parent.postMessage({
    icdp: "hello", v: 1, title: document.title, url: location.href, docId, base: 7, features: ["sessions", "state"],
  }, p));
  let port;
  const say = (m) => port.postMessage(JSON.stringify(m));
  const methods = {
    "Runtime.evaluate": ({ expression }) => ({ result: { value: (0, eval)(expression) } }),
    "Page.navigate": ({ url }) => { location.href = url; return {}; },
    "Page.reload": () => { setTimeout(() => location.reload()); return {}; },
  };
  addEventListener("message", (e) => {
    if (e.source !== parent || !parents.includes(e.origin)) return;
    if (e.data.icdp === "probe" && !port) hello();
    if (e.data.icdp !== "welcome") return;
    port = e.ports[0];
    const { frameId, loaderId, state } = e.data;
    port.onmessage = ({ data }) => {
      const m = JSON.parse(data);
      if (m.icdp || m.method === "Test.hang") return;
      const f = methods[m.method];
      say(f ? { id: m.id, result: f(m.params) } : { id: m.id, error: { code: -32000, message: "Method not found: " + m.method } });
    };
    say({ method: "Test.loaded", params: { frameId, loaderId, title: document.title, sessions: state.sessions.map((s) => s.sessionId) } });
  });
  addEventListener("pagehide", () => port && say({ icdp: "bye" }));
  hello();
})();
