import { useRef, useState } from "preact/hooks";
import { type HandoffEnding, type Opening, access, keepToken, openHandoff } from "../api/access";
import type { State } from "../api/wire";
import { type Route, linkTo } from "../model/route";
import { page } from "../page";
import { Announcer } from "./announce";
import { Connect } from "./connect";
import { HandoffEnd } from "./handoff";
import { Header } from "./header";
import { Login } from "./login";
import { Overview } from "./overview";
import { TargetPage } from "./targetpage";
import { useHub } from "./usehub";
import { useRoute } from "./useroute";
import { Refusals } from "./useview";

/** `opening`: what became of the link to this page. */
export function App({ opening }: { opening: Opening }) {
  const [{ refusal, ticket, ended }, setOpening] = useState(opening);
  if (ended) {
    return (
      <main id="content">
        <HandoffEnd answered={ended} />
      </main>
    );
  }
  if (ticket) {
    const open = (token: string) => {
      keepToken(token);
      void openHandoff(page.path, ticket, true).then(setOpening);
    };
    return (
      <main id="content">
        <Login title="Open the link" problem={refusal} logIn={open}>
          This hub needs a token of yours to open the link, of the role <q>client</q>. It must not be the token of the
          agent that has asked for your help.
        </Login>
      </main>
    );
  }
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
  const [refused, setRefused] = useState("");
  const [answered, setAnswered] = useState<HandoffEnding>("none");
  const last = useRef<Route>(undefined);
  if (route.at === "target") last.current = route;
  const alone = handoff || !!state?.replay;
  const at = alone ? onlyTarget(state) : route;
  return (
    <Refusals.Provider value={setRefused}>
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to the content
      </button>
      <Header model={model} route={at} refused={refused} alone={alone} leave={leave} />
      <main id="content" tabIndex={-1}>
        {problem && phase !== "login" && (
          <p class="banner" role={phase === "lost" ? "status" : "alert"}>
            {problem}
          </p>
        )}
        {refused && phase === "live" && (
          <p class="banner" role="alert">
            {refused}
          </p>
        )}
        {phase === "login" && (
          <Login title="Log in" problem={problem} logIn={logIn}>
            This hub needs a token of the role <q>client</q> to show what runs.
          </Login>
        )}
        {phase === "ended" && <HandoffEnd answered={answered} />}
        {phase === "connecting" && <p class="empty">Connecting to the hub …</p>}
        {state && at.at === "targets" && <Overview model={model} state={state} from={last.current} />}
        {state && at.at === "target" && (
          <TargetPage
            key={linkTo(at)}
            state={state}
            hub={at.hub}
            targetId={at.targetId}
            alone={alone}
            answered={answered}
            onAnswer={setAnswered}
          />
        )}
        {at.at === "connect" && <Connect />}
      </main>
      <Announcer />
    </Refusals.Provider>
  );
}
