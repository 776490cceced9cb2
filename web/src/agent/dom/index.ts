// The DOM domain and what is near to it, as a part of agent.js.

import { added } from "../base/added";
import "../page/metrics";
import "../page/performance";
import "../page/screenshot";
import { boxModel } from "./boxes";
import "./css";
import { pushNode } from "./dom";
import "./snapshot";

Object.assign(added, { boxModel, pushNode });
