// rp.browser: the browser hooks of the hub that this script comes from.
//
//   <script src="http://127.0.0.1:9222/rp.js" data-token="…"></script>
//   const { browsers } = await rp.browser.list();
//   const { markdown } = await rp.browser.snapshot({ browserId: browsers[0].id });
//
// A call that fails rejects with an Error that has a code, and details if any.
(() => {
  const script = globalThis.document?.currentScript;
  const url = new URL("hooks", script?.src ?? globalThis.RP_HUB ?? "http://127.0.0.1:9222/");
  url.protocol = url.protocol.replace("http", "ws");
  const waiting = new Map();
  let last = 0;
  let opening;

  function failure({ code, message, details }) {
    return Object.assign(new Error(message), { name: code, code, details });
  }

  function open() {
    const token = script?.dataset.token ?? globalThis.RP_TOKEN;
    const socket = new WebSocket(url, token ? ["bearer." + token] : []);
    socket.onmessage = ({ data }) => {
      const { id, ok, result, error } = JSON.parse(data);
      const call = waiting.get(id);
      waiting.delete(id);
      if (ok) call?.resolve(result);
      else call?.reject(failure(error));
    };
    return new Promise((resolve, reject) => {
      socket.onopen = () => resolve(socket);
      // Node 22 fires no close event when the hub refuses the connection.
      socket.onerror = socket.onclose = () => {
        opening = undefined; // the next call connects again
        const lost = failure({ code: "BrowserNotFound", message: "there is no connection to the hub" });
        for (const call of waiting.values()) call.reject(lost);
        waiting.clear();
        reject(lost);
      };
    });
  }

  async function invoke(name, params = {}) {
    const socket = await (opening ??= open());
    return new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, name, params }));
    });
  }

  const names = [
    "list", "snapshot", "axTree", "screenshot", "getUrl", "getTitle", "waitForLoad", "waitForElement",
    "navigate", "goBack", "goForward", "reload", "click", "type", "fill", "pressKey", "scroll", "hover", "focus",
    "eval",
  ];
  const browser = Object.fromEntries(names.map((name) => [name, (params) => invoke("browser." + name, params)]));
  globalThis.rp = { ...globalThis.rp, browser: Object.freeze(browser) };
})();
