// What is not the same in an iframe as in a tab of its own: test, verdict and
// reason. Such a test asserts at the hub what happens there instead.

// With "only", the browser around the frame in which it is so.

const cannot = (reason) => ({ verdict: "cannot", reason });
const differs = (reason, only) => ({ verdict: "works differently", reason, ...(only && { only }) });

export const differences = {
  "pdf: of the page": cannot("page script cannot print to a file; the answer says so"),
  "new page: in a context of its own": cannot("frames share the storage of the embedding browser; the answer says so"),
  "emulation: permissions": cannot("permissions belong to the embedding browser; the answer says so"),
  "emulation: offline": cannot("the network belongs to the browser; the answer says so"),
  "emulation: extra HTTP headers": cannot("request headers belong to the browser; the answer says so"),
  "intercept: the document itself": cannot("page script cannot hold the requests of the browser itself: clients hear of them, and what they decide but to go on is refused"),
  "evaluate: a script's event is trusted": cannot("only the browser makes trusted events"),
  "goto: a status of 404 is a response": differs("Firefox does not tell script the status of a document; 200 is reported", "firefox"),
  "goto: an address of another origin that the frame may not show": differs("a Host page says which origins its frames may show; the others are refused"),
};
