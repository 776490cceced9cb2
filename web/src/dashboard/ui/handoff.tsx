import { useState } from "preact/hooks";
import type { View } from "../api/view";
import type { HolderMessage, Target } from "../api/wire";

interface Props {
  handoff: NonNullable<Target["handoff"]>;
  control: boolean;
  view: View | undefined;
  holder: HolderMessage | undefined;
}

/** What an agent asks a person to do in the page. */
export function HandoffPanel({ handoff, control, view, holder }: Props) {
  const [answered, setAnswered] = useState(false);
  const answer = (kind: "done" | "cancel") => {
    view?.send({ kind });
    setAnswered(true);
  };
  return (
    <section class="card handoff" aria-labelledby="handoff">
      <h2 id="handoff">The agent asks for your help</h2>
      <p class="instructions">{handoff.instructions}</p>
      {holder?.mine && !holder.quiet && (
        <p class="row" role="alert">
          You took the page over before the agent asked: it sees what you type.
          <button type="button" disabled={!view} onClick={() => view?.send({ kind: "take" })}>
            Hide it
          </button>
        </p>
      )}
      {control ? (
        <div class="row">
          <button type="button" class="main" disabled={!view || answered} onClick={() => answer("done")}>
            Done
          </button>
          <button type="button" disabled={!view || answered} onClick={() => answer("cancel")}>
            Cancel
          </button>
          <p class="faint">
            Take the page over, do what is asked, and press Done. It ends at{" "}
            {new Date(handoff.until).toLocaleTimeString()}.
          </p>
        </div>
      ) : (
        <p class="faint">Your token is not allowed to do this.</p>
      )}
    </section>
  );
}
