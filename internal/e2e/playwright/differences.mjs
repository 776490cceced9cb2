// What is not the same in an iframe as in a tab of its own: test, verdict and
// reason. Such a test asserts at the hub what happens there instead.

// With "only", the browsers around the frame in which it is so.

const cannot = (reason, ...only) => ({ verdict: "cannot", reason, only });
const differs = (reason, ...only) => ({ verdict: "works differently", reason, only });

export const differences = {
  "pdf: of the page": cannot("Page script cannot print to a file. The error says so."),
  "new page: in a context of its own": cannot("Frames share the storage of the embedding browser. The error says so."),
  "new page: a loop in a blank one stops no other page": cannot("Only Chromium runs a blank page apart from the page around it.", "firefox", "webkit"),
  "emulation: permissions": cannot("Permissions belong to the embedding browser. The error says so."),
  "emulation: offline": cannot("Only the browser controls the network. The error says so."),
  "emulation: extra HTTP headers": cannot("Only the browser controls request headers. The error says so."),
  "intercept: the document itself": cannot("Page script cannot pause requests of the browser itself. Clients receive their events, but can only continue them."),
  "profiling: coverage of scripts": cannot("Page script cannot measure which code runs. The error says so."),
  "evaluate: a script's event is trusted": cannot("Only the browser can create trusted events."),
  "goto: a status of 404 is a response": differs("Firefox and WebKit do not give script the status of a document, so the agent reports 200.", "firefox", "webkit"),
  "goto: an address of another origin that the frame may not show": differs("A Host page lists the origins that its frames may show. Others are refused."),
  "keyboard shortcuts: undo": differs("WPE WebKit does not undo, not even in a tab.", "webkit"),
  "console: where a message comes from": differs("WebKit gives no position for a script that is a single call.", "webkit"),
  "intercept: WebSockets, by Playwright's own script": cannot("Playwright's script calls URL.parse, which WebKit has only since Safari 18.", "webkit"),
  "screenshot: as JPEG, and a clip": cannot("WPE WebKit encodes only PNG. The error says so.", "webkit"),
  "emulation: colour scheme": cannot("Frames in WebKit have the colour scheme of the browser. The error says so.", "webkit"),
};
