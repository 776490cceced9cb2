// Messages of pages about problems: what is wrong, and what to do. docs/troubleshooting.md explains each; a test of
// internal/advice compares it with this list. Names in braces are filled in.

// ---------------------------------------------------------------- the Host page

/** A document of an origin that is not paired has said hello. */
export const FRAME_ORIGIN =
  "The frame shows a document of {origin}, which is not among the origins that this Host page pairs ({origins}): add it to the origins of pair(), or as &origin={origin} to the address of the shell";

/** No document has said hello. */
export const FRAME_SILENT =
  "No Frame Agent has answered in the frame: load agent.js in its document, or open the app through cdphub proxy; if the agent is there, add {host} to its data-parents";

/** The frame has been navigated away from the app. */
export const FRAME_LEFT =
  "The frame has left the app for {origin}, where there is no Frame Agent: finish there by hand and press Back to the app on the Host page, or start cdphub with --also-proxy {origin} to drive such pages, too";

/** The frame shows the proxied app without the proxy. */
export const FRAME_UNPROXIED =
  "The frame shows the app at its own address {origin}, past the proxy, where there is no Frame Agent: if another site has led there after a log-in, start cdphub with --also-proxy and the origin of that site";

/** A Client may not navigate the frame there. */
export const NOT_ALLOWED =
  "Navigation to {origin} is not allowed for this Target: it may show {origins}; for more, start cdphub with --also-proxy ORIGIN, or add the origin to those of pair()";

/** The end of a message about a page without an agent. */
export const WAY_BACK = "Page.navigate to {back} leads back";

/** The hub could not be asked why it refuses this page. */
export const HUB_UNREACHABLE = "The hub at {url} cannot be reached: see whether cdphub is running there";

/** The hub has given a reason. */
export const HUB_REFUSES = "The hub refuses this page: {text}";

/** The hub refused the page's token, but a page of another origin cannot send the token to ask why. */
export const HUB_REFUSES_TOKEN =
  "The hub refuses the token of this page: check it with cdphub token check, and that its role is host";

/** The hub wants a token, and the page has none. */
export const TOKEN_OF_PAGE =
  "The hub needs a token of a Host: add #token=TOKEN to the address of the shell, or call connectRelay(url, { token })";

// ---------------------------------------------------------------- the Frame Agent

/** A Host page asks for the frame, but its origin is not allowed. */
export const PARENT_NOT_LISTED =
  "cdphub: this frame is not paired, since data-parents of agent.js ({parents}) does not name the page around it: add {parent}";

/** No Host page has answered. */
export const PARENT_SILENT =
  "cdphub: this frame is not paired, since no page around it has answered: it must be one of {parents}, load host.js, and name {origin} in the origins of pair()";

/** A page that comes through the proxy is not in a frame. */
export const NOT_IN_A_HOST = "cdphub: clients cannot see this page while it is not in a Host page: open {page}";

/** An iframe that no agent answers for. */
export const CHILD_SILENT =
  "cdphub: clients cannot see into the iframe {url}, which is of another origin and has no Frame Agent: load agent.js in it with {origin} in its data-parents";

/** The document of a child frame of another origin does not answer. */
export const CHILD_HANGS =
  "The document of a child frame does not answer, since its script has not run for 7 s or more: remove the frame, or navigate the page or reload it";

/** A download whose content the agent could not read. */
export const DOWNLOAD =
  "cdphub: the file {url} goes to the downloads of the browser that shows this page, and could not be read for clients: fetch it in the page, or start cdphub with --browser, where clients get all downloads";

/** Something has come from the app's own address. */
export const PAST_PROXY =
  "cdphub: {url} was loaded from the app's own address, past the proxy, since a script names it: clients cannot intercept such requests, and what needs the page's own origin fails; set the app's public address to that of the proxy, if it has such a setting";

/** The app asks for a name and a password. */
export const CREDENTIALS =
  "cdphub: the app asks for a name and a password, which clients cannot give in answer to a challenge in a frame: open http://NAME:PASSWORD@HOST/, or set the header Authorization with Network.setExtraHTTPHeaders (Playwright: setExtraHTTPHeaders)";

/** An address with a name and a password, in a frame without the proxy. */
export const CREDENTIALS_IN_URL =
  "Frames open no address with a name and a password without cdphub proxy; there, Network.setExtraHTTPHeaders can set Authorization, too";

/** Fills in a message. */
export function say(message: string, places: Record<string, string> = {}): string {
  return message.replace(/\{(\w+)\}/g, (place, name: string) => places[name] ?? place);
}
