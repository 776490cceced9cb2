// What the server has put into the page, the same for everybody: internal/webpage/dashboard.go writes it.

export interface Snippet {
  client: string;
  code: string;
}

export interface Page {
  /** The hub whose page this is; "" is the default hub. */
  hub: string;
  /** Before each path of the hub: "" or "/hub/NAME". */
  path: string;
  /** A token is needed. */
  token: boolean;
  /** Address of the ready-made Host page; "" if there is no listener for Hosts. */
  shell: string;
  /** How each client connects. */
  clients: Snippet[] | null;
}

export const page: Page = JSON.parse(document.body.dataset.page ?? "{}");
