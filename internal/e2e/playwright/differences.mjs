// What is not the same in an iframe as in a tab of its own: test, verdict and
// reason. Such a test asserts at the hub what happens there instead.

// With "only", the browsers around the frame in which it is so.

const cannot = (reason, ...only) => ({ verdict: "cannot", reason, only });
const differs = (reason, ...only) => ({ verdict: "works differently", reason, only });

export const differences = {
  "pdf: of the page": cannot("page script cannot print to a file; the answer says so"),
  "new page: in a context of its own": cannot("frames share the storage of the embedding browser; the answer says so"),
  "emulation: permissions": cannot("permissions belong to the embedding browser; the answer says so"),
  "emulation: offline": cannot("the network belongs to the browser; the answer says so"),
  "emulation: extra HTTP headers": cannot("request headers belong to the browser; the answer says so"),
  "intercept: the document itself": cannot("page script cannot hold the requests of the browser itself: clients hear of them, and what they decide but to go on is refused"),
  "profiling: coverage of scripts": cannot("page script cannot measure what scripts run; the answer says so"),
  "evaluate: a script's event is trusted": cannot("only the browser makes trusted events"),
  "goto: a status of 404 is a response": differs("Firefox and WebKit do not tell script the status of a document; 200 is reported", "firefox", "webkit"),
  "goto: an address of another origin that the frame may not show": differs("a Host page says which origins its frames may show; the others are refused"),
  "keyboard shortcuts: undo": differs("WPE WebKit undoes nothing, in a page of its own neither", "webkit"),
  "console: where a message comes from": differs("WebKit tells no place of a script that is one call and nothing else", "webkit"),
  "intercept: WebSockets, by Playwright's own script": cannot("Playwright's script calls URL.parse, which WebKit has since Safari 18", "webkit"),
  "screenshot: as JPEG, and a clip": cannot("WPE WebKit encodes PNG alone; the answer says so", "webkit"),
  "emulation: colour scheme": cannot("frames in WebKit have the colour scheme of the browser; the answer says so", "webkit"),
};
