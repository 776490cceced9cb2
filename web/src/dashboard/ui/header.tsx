import type { ComponentChildren } from "preact";
import { access } from "../api/access";
import type { Model } from "../model/model";
import { type Route, linkTo } from "../model/route";
import { page } from "../page";
import { Logo } from "./logo";

interface Props {
  model: Model;
  route: Route;
  /** Why the hub refuses the views of this page; "" if it does not. */
  refused: string;
  /** Whether the page shows only one target. */
  alone: boolean;
  leave(): void;
}

export function Header({ model, route, refused, alone, leave }: Props) {
  const { state } = model;
  const name = page.hub ? `Hub ${page.hub}` : "cdphub";
  return (
    <header class="top">
      <p class="brand">
        <Logo />
        {alone ? <span>{name}</span> : <a href={linkTo({ at: "targets" })}>{name}</a>}
      </p>
      {!alone && (
        <nav aria-label="Places">
          <Place here={route.at !== "connect"} route={{ at: "targets" }}>
            What runs
          </Place>
          <Place here={route.at === "connect"} route={{ at: "connect" }}>
            Connect
          </Place>
        </nav>
      )}
      <State model={model} refused={refused} />
      {state && !(alone && !state.replay) && <p class="faint version">{state.version}</p>}
      {state && page.token && access().secret && !alone && (
        <button type="button" onClick={leave}>
          Forget the token
        </button>
      )}
    </header>
  );
}

function State({ model: { phase, state }, refused }: Pick<Props, "model" | "refused">) {
  if (phase !== "live") return <p class={`state ${LOOKS[phase]}`}>{PHASES[phase]}</p>;
  if (refused) return <p class="state bad">No live pictures</p>;
  return <p class={`state ${LOOKS.live}`}>{state?.replay ? "Recording" : PHASES.live}</p>;
}

const PHASES = {
  connecting: "Connecting",
  live: "Live",
  lost: "Not connected",
  login: "Not logged in",
  refused: "Refused",
  ended: "Ended",
};

const LOOKS = { connecting: "", live: "good", lost: "bad", login: "", refused: "bad", ended: "good" };

function Place({ here, route, children }: { here: boolean; route: Route; children: ComponentChildren }) {
  return (
    <a href={linkTo(route)} aria-current={here ? "page" : undefined}>
      {children}
    </a>
  );
}
