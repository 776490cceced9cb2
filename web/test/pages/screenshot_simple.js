// A Host of version 1, whose server has no other bundle beside agent.js: its
// clients hear what they would hear of the agent that came with it.
hub.frameId = undefined;
await visit("/simple", { response: "{}" });
for (const method of ["Page.captureScreenshot", "DOMSnapshot.captureSnapshot"])
  await fails(cdp(method, { computedStyles: [] }), `Method not found: ${method} ('${method}' wasn't found)`);
