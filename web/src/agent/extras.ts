// What few Clients ask a frame for, as a part of agent.js.

import "./input/webkitfocus";
import "./dom/deep";
import "./runtime/deep";
import "./dom/edit";
import "./dom/search";
import "./dom/setfiles";
import "./network/keptbodies";
import "./page/overrides";
import "./runtime/rare";
import "./runtime/repl";
import "./storage/storage";
