// What the agent offers to module.ts.

export { ProtocolError, register } from "./base/registry";
export { startFrameAgent } from "./start";
