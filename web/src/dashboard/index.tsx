// The dashboard of a hub, at its home page: targets, a live picture of each, and the lease to act on one. All data
// comes from /ui/api; docs/dashboard.md describes both.

import { render } from "preact";
import { takeFromAddress } from "./api/access";
import { page } from "./page";
import { App } from "./ui/app";

// A link that is pasted into a tab with this page: what is open there uses another token.
addEventListener("hashchange", () => {
  if (/^#(handoff|token)=/.test(location.hash)) location.reload();
});

const root = document.getElementById("app")!;
void takeFromAddress(page.path, page.token && !page.links).then((opening) => render(<App opening={opening} />, root));
