// What a server does that renders the app: it imports the modules, and by mistake calls one.
import { startFrameAgent } from "cdphub/agent";
import { Host } from "cdphub/host";

for (const call of [() => startFrameAgent({ allowedParents: [] }), () => new Host()]) {
  try {
    call();
    console.log("no error");
  } catch (e) {
    console.log(e.message.split(":")[0]);
  }
}
