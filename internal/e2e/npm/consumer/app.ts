// An app with the agent in its own bundle, and with a domain that it plugs in.

import { type Handler, ProtocolError, register, startFrameAgent } from "cdphub/agent";

const greet: Handler = ({ name }) => {
  if (typeof name !== "string") throw new ProtocolError("Demo.greet needs a name", -32602);
  return { text: `Hello, ${name}` };
};
register("Demo", { greet });
startFrameAgent({ allowedParents: [new URLSearchParams(location.search).get("parent") ?? ""] });
document.querySelector("button")?.addEventListener("click", () => {
  document.title = "Pressed";
});
