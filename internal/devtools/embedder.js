// The front end loads this file of whoever serves it before its own scripts. It is
// older than Chromium 156 in part, and asks for features that browsers have given up
// since. Nothing of those is anywhere, and that is the answer here.

(() => {
  const none = {
    "Network.clearAcceptedEncodingsOverride": {},
    "Storage.getSharedStorageEntries": { entries: [] },
    "Storage.getSharedStorageMetadata": {
      metadata: { creationTime: 0, length: 0, remainingBudget: 0, bytesUsed: 0 },
    },
    "Storage.setInterestGroupTracking": {},
    "Storage.setSharedStorageTracking": {},
    // Where to look for more browsers, which is what a hub is for.
    "Target.setRemoteLocations": {},
  };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    const method = /"method":"([\w.]+)"/.exec(String(text).slice(0, 200))?.[1] ?? "";
    if (!Object.hasOwn(none, method)) return send.call(this, text);
    const { id, sessionId } = JSON.parse(text);
    const data = JSON.stringify({ id, result: none[method], ...(sessionId && { sessionId }) });
    setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
  };

  // The picture of the page would take three quarters of the window. Its button is in the toolbar.
  if (localStorage.getItem("screencast-enabled") === null) localStorage.setItem("screencast-enabled", "false");

  // A ticket works once. After a reload, by F5 or by "Reconnect DevTools", the hub gives another one.
  const query = new URLSearchParams(location.search);
  const socket = new URL(`ws://${query.get("ws") ?? query.get("wss") ?? "none"}`);
  const ticket = socket.searchParams.get("ticket");
  if (!ticket) return;
  if (sessionStorage.getItem("cdphub-ticket") !== ticket) {
    sessionStorage.setItem("cdphub-ticket", ticket);
    return;
  }
  globalThis.WebSocket = class extends EventTarget {
    send() {}
    close() {}
  };
  const say = (text) => {
    document.title = "DevTools";
    document.body.textContent = text;
  };
  const target = socket.pathname.split("/").pop();
  fetch(`../?target=${target}`).then(
    async (answer) => {
      if (answer.ok) return location.replace(answer.url);
      say(
        answer.status === 401
          ? "This address of DevTools works once: open DevTools again in the dashboard."
          : await answer.text(),
      );
    },
    () => say("The hub does not answer. Reload this page when it is back."),
  );
})();
