// What is not the same in an iframe as in a tab of its own: test, verdict and
// reason. Such a test asserts at the hub what happens there instead.

const cannot = (reason) => ({ verdict: "cannot", reason });
const differs = (reason) => ({ verdict: "works differently", reason });

export const differences = {
  "pdf: of the page": cannot("page script cannot print to a file; the answer says so"),
  "new page: in a context of its own": cannot("frames share the storage of the embedding browser; the answer says so"),
  "emulation: permissions": cannot("permissions belong to the embedding browser; the answer says so"),
  "emulation: offline": cannot("the network belongs to the browser; the answer says so"),
  "emulation: extra HTTP headers": cannot("request headers belong to the browser; the answer says so"),
  "intercept: the document itself": cannot("page script cannot hold the requests of the browser itself; they are not paused"),
  "evaluate: a script's event is trusted": cannot("only the browser makes trusted events"),
  "goto: an address of another origin that the frame may not show": differs("a Host page says which origins its frames may show; the others are refused"),
};
