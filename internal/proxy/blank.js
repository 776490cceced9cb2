// Runs in a window that a page has opened without an address, before the agent. Its opener is a frame beside it, whose
// agent (web/src/agent/windows/popups.ts) holds what the page has written, and done, until there was this window.
// Nodes are taken as they are, since the page may hold them; scripts and handlers of load run when they are written.
{
  const around = parent;
  const id = location.search.slice(1);
  const popupOf = (win) => {
    try {
      return win[Symbol.for("cdphub.agent")]?.popups.get(id);
    } catch {
      return undefined; // another origin
    }
  };
  const take = () => {
    // By then the agent knows the opener, for the scripts.
    if (!window[Symbol.for("cdphub.window")]) return void setTimeout(take, 10);
    let popup;
    for (let i = 0; i < around.length && !popup; i++) popup = popupOf(around[i]);
    if (!popup) return;
    const written = popup.draft.documentElement;
    if (written.querySelector("script, [onload]")) {
      document.open();
      document.write(written.outerHTML);
      document.close();
    } else document.documentElement.replaceWith(written);
    for (const act of popup.later) act(window);
  };
  // Not in the event itself: a document that is opened there has no load event of its own.
  addEventListener("load", () => setTimeout(take), { once: true });
  document.currentScript.remove();
}
