// What the agent offers to module.ts.

/// <reference path="./worker-agent-main.d.ts" />
import workerAgent from "worker-agent-main";
import { setAgentText } from "./workers/agenttext";
import "./accessibility";
import "./dom";
import "./extras";
import "./input";
import "./network/part";

export { ProtocolError, register } from "./base/registry";
export { startFrameAgent } from "./start";

setAgentText(workerAgent);
