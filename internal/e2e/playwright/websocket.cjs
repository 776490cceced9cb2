// Gives a Node before 22 the WebSocket that browsers have.
globalThis.WebSocket ??= require("playwright-core/lib/utilsBundle").ws;
