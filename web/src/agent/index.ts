// The agent as an ES module, for applications that have it in their own
// bundle: nothing runs before startFrameAgent is called, so that the page's
// earlier scripts, requests and messages are not seen.

export { type Handler, ProtocolError, register } from "./base/registry";
export { type AgentOptions, startFrameAgent } from "./start";
