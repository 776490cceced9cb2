// The dashboard of a hub, at its home page: targets, a live picture of each, and the lease to act on one. All data
// comes from /ui/api; docs/dashboard.md describes both.

import { render } from "preact";
import { takeFromAddress } from "./api/access";
import { page } from "./page";
import { App } from "./ui/app";

const root = document.getElementById("app")!;
void takeFromAddress(page.path).then((opening) => render(<App opening={opening} />, root));
