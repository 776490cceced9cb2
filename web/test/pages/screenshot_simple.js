// A Host of version 1, whose server has no other bundle beside agent.js: its
// clients hear what they would hear of the agent that came with it.
hub.frameId = undefined;
await visit("/simple", { response: "{}" });
for (const [method, part] of [
  ["Page.captureScreenshot", "shot.js"],
  ["DOMSnapshot.captureSnapshot", "snapshot.js"],
])
  await fails(
    cdp(method, { computedStyles: [] }),
    `Method not found: ${method} ('${method}' wasn't found). The page could not load ${part}: its Content Security Policy forbids it, or nothing serves it`,
  );
