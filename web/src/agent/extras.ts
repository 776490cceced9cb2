// What few clients ask a frame for, as a part of agent.js.

import "./dom/edit";
import "./dom/search";
import "./storage/storage";
