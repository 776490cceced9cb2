import { useRef, useState } from "preact/hooks";
import { access } from "../api/access";
import type { State } from "../api/wire";
import { type Route, linkTo } from "../model/route";
import { Announcer } from "./announce";
import { Connect } from "./connect";
import { Header } from "./header";
import { Login } from "./login";
import { Overview } from "./overview";
import { TargetPage } from "./targetpage";
import { useHub } from "./usehub";
import { useRoute } from "./useroute";

/** `refusal`: why the link to this page is not valid. */
export function App({ refusal }: { refusal: string }) {
  return refusal ? <Refused text={refusal} /> : <Dashboard />;
}

function Refused({ text }: { text: string }) {
  return (
    <main id="content">
      <section class="card narrow">
        <h1>This link opens nothing</h1>
        <p role="alert">{text}</p>
      </section>
    </main>
  );
}

/** The one target of a handoff, or of a recording. */
function onlyTarget(state: State | undefined): Route {
  const hub = state?.hubs.find((h) => h.targets?.length);
  return { at: "target", hub: hub?.hub ?? "", targetId: hub?.targets?.[0]?.targetId ?? "" };
}

function Dashboard() {
  const route = useRoute();
  const { model, logIn, leave } = useHub();
  const { phase, problem, state } = model;
  const [{ handoff }] = useState(access);
  const last = useRef<Route>(undefined);
  if (route.at === "target") last.current = route;
  const alone = handoff || !!state?.replay;
  const at = alone ? onlyTarget(state) : route;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to the content
      </button>
      <Header model={model} route={at} alone={alone} leave={leave} />
      <main id="content" tabIndex={-1}>
        {problem && phase !== "login" && (
          <p class="banner" role={phase === "lost" ? "status" : "alert"}>
            {problem}
          </p>
        )}
        {phase === "login" && <Login problem={problem} logIn={logIn} />}
        {phase === "connecting" && <p class="empty">Connecting to the hub …</p>}
        {state && at.at === "targets" && <Overview model={model} state={state} from={last.current} />}
        {state && at.at === "target" && (
          <TargetPage key={linkTo(at)} state={state} hub={at.hub} targetId={at.targetId} alone={alone} />
        )}
        {at.at === "connect" && <Connect />}
      </main>
      <Announcer />
    </>
  );
}
