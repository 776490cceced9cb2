// Agent and proxy: the JSON text frames over the WebSocket /__hub/control, and
// the attribute data-response of the agent's script element. The proxy's side
// is in Go: internal/proxy/agentprotocol.go and internal/proxy/provenance.go.

/** Header names and values, in order. */
export type HeaderPairs = [name: string, value: string][];

/** Agent to proxy: what the sessions of its Target want. It is answered by ControlEvent "state". */
export interface StateCommand {
  do: "state";
  /** The Target that the document is part of. */
  target: string;
  /** Requests are to wait for a decision. */
  hold: boolean;
  /** The agent gets events of requests, even if they do not wait. */
  tell: boolean;
  /** The documents that speak for the Target: addresses without fragment. */
  addresses: string[];
  /** Headers that every request gets. */
  extra?: Record<string, string>;
  userAgent?: string;
  noCache?: boolean;
  offline?: boolean;
  /** "name:password" for the app, in base64 of UTF-8: for all requests of the Target from now on. */
  credentials?: string;
}

/** Agent to proxy: where the main frame goes next. */
export interface NavigateCommand {
  do: "navigate";
  url: string;
  /** The Referer that the request is to have; empty for none. */
  referrer?: string;
}

/** Agent to proxy: a request that waits goes on, changed where a field says so. */
export interface GoCommand {
  do: "go";
  id: string;
  url?: string;
  method?: string;
  headers?: HeaderPairs;
  /** Base64. */
  body?: string;
  /** The response is to wait, too. */
  see?: boolean;
  /** The cookies that script can read now: they may have changed since the browser made the request. */
  cookies?: string;
}

/** Agent to proxy: a Client answers the request in the place of the app. */
export interface FulfillCommand {
  do: "fulfill";
  id: string;
  status: number;
  /** The reason phrase; empty for the usual one. */
  phrase: string;
  headers?: HeaderPairs;
  /** Base64. */
  body?: string;
}

/** Agent to proxy: the request fails. */
export interface FailCommand {
  do: "fail";
  id: string;
  /** A net error. */
  error: string;
}

/** Agent to proxy: the body of a response that waits is asked for. */
export interface BodyCommand {
  do: "body";
  id: string;
}

/** What an agent sends. */
export type ControlCommand = StateCommand | NavigateCommand | GoCommand | FulfillCommand | FailCommand | BodyCommand;

/** Proxy to agent: the state is in force. */
export interface StateEvent {
  what: "state";
  id: string;
}

/** Proxy to agent: a request has come. */
export interface RequestEvent {
  what: "request";
  id: string;
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Base64; absent for an empty or a long one. */
  body?: string;
  /** Sec-Fetch-Dest. */
  dest?: string;
  /** Sec-Fetch-Mode. */
  mode?: string;
  /** The Referer without its fragment. */
  referrer?: string;
  /** It waits for a GoCommand, FulfillCommand or FailCommand. */
  held?: boolean;
  /** It is for the main frame's document. */
  main?: boolean;
  /** The requests that were redirected to this one, the first one first. */
  redirects?: RedirectHop[];
}

/** Proxy to agent: the head of a response has come, or with `error` none. */
export interface ResponseEvent {
  what: "response";
  id: string;
  status?: number;
  statusText?: string;
  /** Several lines of one name are separated by a line break. */
  headers?: Record<string, string>;
  /** Headers of the request, as the app's server got them; absent where it was not asked. */
  sent?: Record<string, string>;
  held?: boolean;
  /** The key of the body, which the proxy keeps below /__hub/body/. */
  key?: string;
  /** The net error. */
  error?: string;
}

/** Proxy to agent: the body that a BodyCommand asked for. */
export interface BodyEvent {
  what: "body";
  id: string;
  /** Base64; absent for an empty one. */
  body?: string;
}

/** Proxy to agent: the response has been sent whole. */
export interface EndEvent {
  what: "end";
  id: string;
  /** Bytes of the body as they came from the app. */
  length?: number;
}

/** Proxy to agent: there is no answer. */
export interface FailedEvent {
  what: "failed";
  id: string;
  /** The net error. */
  error: string;
  /** The name of the file, where the response is a download: the browser saves it. */
  download?: string;
  /** Of a download: its address, and the key of its content below /__hub/body/. */
  url?: string;
  key?: string;
}

/** Proxy to agent: the response to a request of script, of which no RequestEvent tells, is on its way. */
export interface ExtraEvent {
  what: "extra";
  id: string;
  url: string;
  method: string;
  /** Headers of the request, as the app's server got them. */
  sent: Record<string, string>;
  status: number;
  statusText: string;
  /** Headers of the response; lines of one name are apart by a line break. */
  headers: Record<string, string>;
}

/** What a proxy sends. */
export type ControlEvent = StateEvent | RequestEvent | ResponseEvent | BodyEvent | EndEvent | FailedEvent | ExtraEvent;

/** One request for a document and its answer. */
export interface RedirectHop {
  url: string;
  method: string;
  /** Headers of the request. */
  sent: Record<string, string>;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  /** Whether the previous document has reported it to Clients. */
  told?: boolean;
}

/** The JSON of data-response: the request that has brought the document. */
export interface DocumentResponse extends RedirectHop {
  /** The requests that led to it. */
  redirects?: RedirectHop[];
  /** The key of the document's text, below /__hub/body/. */
  body?: string;
  /** The net error, if the document is an error page. */
  error?: string;
  /** Whether the previous document has reported the error to Clients. */
  errorTold?: boolean;
}
