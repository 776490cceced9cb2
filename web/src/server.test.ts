// What a server does that renders an application: it imports the modules
// without a document.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

const printed = ["log", "info", "warn", "error"].map((name) => mock.method(console, name as "log"));

test("the modules of the package may be imported without a document", async () => {
  const agent = await import("./agent/module");
  const host = await import("./host/index");
  const calls = {
    startFrameAgent: () => agent.startFrameAgent({ allowedParents: [] }),
    register: () => agent.register("Shop", {}),
    "new Host()": () => new host.Host(),
    takeToken: () => host.takeToken(),
  };
  for (const [name, call] of Object.entries(calls)) {
    assert.throws(
      call,
      (e: Error) => e.message.startsWith(`${name} of cdphub/`) && e.message.includes("needs a browser"),
    );
  }
  assert.ok(new agent.ProtocolError("m") instanceof Error);
  assert.equal(new agent.ProtocolError("m").code, -32000);
  assert.equal(printed.flatMap((p) => p.mock.calls).length, 0);
});
