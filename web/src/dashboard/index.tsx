// The dashboard of a hub, at its home page: what runs, a live picture of each target, and the way to take one over.
// All that it shows comes from /ui/api; docs/dashboard.md describes both.

import { render } from "preact";
import { takeFromAddress } from "./api/access";
import { page } from "./page";
import { App } from "./ui/app";

const root = document.getElementById("app")!;
void takeFromAddress(page.path).then((refusal) => render(<App refusal={refusal} />, root));
