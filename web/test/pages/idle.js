// The network is idle half a second after the last request, not after load.
await visit("/app", {
  html: `<script>
    addEventListener("load", async () => {
      for (window.asked = 0; asked < 5; asked++) {
        await fetch("/net/echo");
        await new Promise((r) => setTimeout(r, 200));
      }
    });
  <\/script>`,
});
await cdp("Page.enable");
await cdp("Page.setLifecycleEventsEnabled", { enabled: true });
const idle = async () => {
  for (;;) {
    const { name } = await event("Page.lifecycleEvent");
    if (name === "networkIdle") return value("asked");
  }
};
is(await idle(), 5);

state.sessions[0].lifecycle = true;
events.length = 0;

// Nor while one is waited for.
await visit("/app", {
  html: `<script>
    window.asked = 0;
    fetch("/net/slow").then(() => asked++);
  <\/script>`,
});
is(await idle(), 1);
