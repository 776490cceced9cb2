// What the agent offers to module.ts.

import "./accessibility";
import "./extras";
import "./input";

export { ProtocolError, register } from "./base/registry";
export { startFrameAgent } from "./start";
