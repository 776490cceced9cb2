// The data that the server has put into the page, the same for all users: internal/webpage/dashboard.go writes it.

export interface Snippet {
  client: string;
  code: string;
}

export interface Page {
  /** The hub whose page this is; "" is the default hub. */
  hub: string;
  /** The prefix of all paths of the hub: "" or "/hub/NAME". */
  path: string;
  /** Whether a token is needed. */
  token: boolean;
  /** Whether the link of a handoff opens without one. */
  links: boolean;
  /** Address of the ready-made Host page; "" if there is no listener for Hosts. */
  shell: string;
  /** How each Client connects. */
  clients: Snippet[] | null;
}

export const page: Page = JSON.parse(document.body.dataset.page ?? "{}");
