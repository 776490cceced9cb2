// A Frame Agent and its hub over HTTP, past the Host. The hub's side is in Go:
// the handlers of POST /dialog and GET /eval/KEY.js, which knows no message.

/** The body of POST BASE/dialog, sent as text/plain so that browsers ask no permission first. */
export interface DialogRequest {
  /** The Target, absent while the agent does not know it. */
  targetId?: string;
  /** The key of the Target that its Host was given. */
  key: string;
  /** "alert", "confirm", "prompt" or "beforeunload". */
  type: string;
  message: string;
  /** The text that a prompt begins with. */
  defaultPrompt: string;
  /** The address of the frame that shows the dialog. */
  url: string;
  frameId: string;
}

/** The answer: either native, or accept and text. */
export interface DialogAnswer {
  /** No Client answers: the browser is to show its own dialog. */
  native?: boolean;
  accept?: boolean;
  /** What a prompt was answered with. */
  text?: string;
}
