// An example that imports this file prints one sentence when it fails: what is missing, and what to do.
// Then it exits with 1.
const [hub, url] = process.argv.slice(2);
const token = process.env.CDPHUB_TOKEN;
const headers = token ? { Authorization: `Bearer ${token}` } : {};

process.on("uncaughtException", async (error) => {
  const old = error instanceof ReferenceError && error.message.startsWith("WebSocket");
  console.error(
    old ? `This needs Node 22 or later, and this is ${process.version}.` : ((await missing()) ?? error.message),
  );
  process.exit(1);
});

/** What the hub lacks; undefined if it is ready to be driven. */
async function missing() {
  if (!url) return `Name a hub and a page: node ${process.argv[1]} http://127.0.0.1:9222 https://example.com`;
  const answer = await fetch(`${hub}/json/list`, { headers }).catch(() => undefined);
  if (!answer)
    return `No hub answers at ${hub}: run "cdphub serve --browser", or "cdphub open ${url}" for an app in a frame.`;
  if (answer.status === 401 || answer.status === 403)
    return `The hub at ${hub} refuses the token: put a Client's token into the environment variable CDPHUB_TOKEN.`;
  if (answer.ok && (await answer.json()).length === 0)
    return `The hub at ${hub} has no page to drive: run "cdphub open ${url}" for an app in a frame, or start the hub with --browser for a browser.`;
}
