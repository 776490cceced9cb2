// Runs the Core in a Worker. Timers of a Worker go on in a background tab, and a frame that keeps the page's thread
// busy does not stop the other frames.

import { Core } from "./core";
import { browserEnv } from "./env";
import type { FromCore } from "../wire/core";
import type { Scope } from "./scope";

const scope = self as unknown as Scope;
const core = new Core(
  browserEnv((message) => {
    scope.postMessage(message, message.do === "welcome" ? [message.port] : []);
  }),
);
scope.onmessage = (event) => core.receive(event.data);
scope.postMessage({ do: "up" } satisfies FromCore, []);
