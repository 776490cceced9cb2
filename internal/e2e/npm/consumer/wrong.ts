// What the types must refuse.

import { ProtocolError, register, startFrameAgent } from "cdphub/agent";
import { Host } from "cdphub/host";

// @ts-expect-error: nobody may drive the app
startFrameAgent({});
// @ts-expect-error: key is the project's own
startFrameAgent({ allowedParents: [], key: "" });
// @ts-expect-error: a handler returns an object
register("Demo", { one: () => 1 });
// @ts-expect-error: a code is a number
new ProtocolError("wrong", "code");
// @ts-expect-error: a pairing needs origins
new Host().pair(document.createElement("iframe"), {});
const answer = new Host().attach("T").send("Runtime.evaluate", { expression: "1" });
// @ts-expect-error: it is a promise
answer.result;
