// The agent as a module of the application's own, with a domain that it plugs in.
await visit("/module", {
  bare: 1,
  html: `<script type="module">
  import { ProtocolError, register, startFrameAgent } from "/agent.mjs";
  register("Demo", {
    greet: ({ name }) => {
      if (!name) throw new ProtocolError("Demo.greet needs a name");
      return { text: "Hello, " + name };
    },
  });
  startFrameAgent({ allowedParents: ["${location.origin}"] });
<\/script><button>Press</button>`,
});
is(await cdp("Demo.greet", { name: "Ann" }), { text: "Hello, Ann" });
await fails(cdp("Demo.greet", {}), "Demo.greet needs a name");
is(
  (await cdp("Accessibility.getFullAXTree")).nodes.filter((n) => n.role?.value === "button").map((n) => n.name.value),
  ["Press"],
);
is(await value("1 + 1"), 2);
