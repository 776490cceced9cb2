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
})();
