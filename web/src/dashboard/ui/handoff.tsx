import { useEffect } from "preact/hooks";
import { type HandoffEnding, endHandoff } from "../api/access";
import type { View } from "../api/view";
import type { HolderMessage, Target } from "../api/wire";

interface Props {
  handoff: NonNullable<Target["handoff"]>;
  control: boolean;
  view: View | undefined;
  holder: HolderMessage | undefined;
  answered: HandoffEnding;
  onAnswer(answer: HandoffEnding): void;
}

/** What an agent asks a person to do in the page. */
export function HandoffPanel({ handoff, control, view, holder, answered, onAnswer }: Props) {
  const answer = (kind: "done" | "cancel") => {
    view?.send({ kind });
    onAnswer(kind);
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
          <button type="button" class="main go" disabled={!view || answered !== "none"} onClick={() => answer("done")}>
            Done
          </button>
          <button type="button" disabled={!view || answered !== "none"} onClick={() => answer("cancel")}>
            Cancel
          </button>
          <p class="faint">
            Do in the picture what is asked, then press Done. It ends at {new Date(handoff.until).toLocaleTimeString()}.
          </p>
        </div>
      ) : (
        <p class="faint">Your token is not allowed to do this.</p>
      )}
    </section>
  );
}

/** The end of a handoff, in place of its target. */
export function HandoffEnd({ answered }: { answered: HandoffEnding }) {
  const [title, text] = ENDS[answered];
  useEffect(() => endHandoff(answered), [answered]);
  return (
    <section class="card narrow thanks" role="status">
      <h1>{title}</h1>
      <p>{text} You can close this tab.</p>
    </section>
  );
}

const ENDS = {
  done: ["Thank you", "The agent goes on."],
  cancel: ["You have declined", "The agent knows that it was not done."],
  none: ["This has ended", "The time is over, or the agent does not need it any more."],
} as const;
