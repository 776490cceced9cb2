// What the Fetch domain and the proxy in front of the app need, as a part of agent.js.

import "./fetchcommands";
import "./proxyrequests";
