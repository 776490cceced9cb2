import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { HolderMessage, Hub, State, Target } from "../api/wire";
import type { HandoffEnding } from "../api/access";
import { linkTo } from "../model/route";
import { announce } from "./announce";
import { Badges } from "./badges";
import { Facts } from "./facts";
import { HandoffEnd, HandoffPanel } from "./handoff";
import { OwnTabs } from "./owntabs";
import { Stage } from "./stage";
import { Timeline } from "./timeline";
import { Toolbar } from "./toolbar";
import type { PastPicture } from "./usetimeline";
import { useLive } from "./uselive";

interface Props {
  state: State;
  hub: string;
  targetId: string;
  /** Whether the page shows only this target. */
  alone: boolean;
  /** What the person has answered to the agent's question. */
  answered: HandoffEnding;
  onAnswer(answer: HandoffEnding): void;
}

/** One target, large. */
export function TargetPage({ state, hub: name, targetId, alone, answered, onAnswer }: Props) {
  const hub = state.hubs.find((h) => h.hub === name);
  const there = hub?.targets?.find((t) => t.targetId === targetId);
  const target = there ?? endedOf(hub, targetId);
  const canvas = useRef<HTMLCanvasElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const stage = useRef<HTMLElement>(null);
  const [past, setPast] = useState<PastPicture>();
  const live = useLive(there && !state.replay ? hub?.path : undefined, targetId, canvas);
  const title = target?.title || target?.url || targetId;
  useLayoutEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    document.title = `${title} - cdphub`;
  }, [title]);
  useHolderText(live.holder);
  const guest = alone && !state.replay; // of a handoff, who has come for it alone
  if ((!hub || !target) && guest) return <HandoffEnd answered={answered} />;
  if (!hub || !target) return <Gone name={name} text={live.gone} />;
  const mine = live.holder?.mine === true;
  const elsewhere = live.holder?.you && !mine; // in another window of this person
  const free =
    guest &&
    state.you.control &&
    answered === "none" &&
    live.connected &&
    !live.gone &&
    (!live.holder?.name || elsewhere);
  return (
    <article class="target" aria-labelledby="title">
      {!alone && (
        <p class="back">
          <a href={linkTo({ at: "targets" })}>← What runs</a>
        </p>
      )}
      {target.handoff && (
        <HandoffPanel
          handoff={target.handoff}
          control={state.you.control}
          view={live.view}
          holder={live.holder}
          answered={answered}
          onAnswer={onAnswer}
        />
      )}
      <div class="row heading">
        <h1 id="title" tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {!guest && <Badges target={target} mine={mine} />}
      </div>
      {target.url !== title && <p class="address">{target.url}</p>}
      {state.replay && <Recorded began={state.replay.began} cut={state.replay.cut} />}
      {there && !state.replay && (
        <Toolbar hub={hub} target={target} you={state.you} live={live} stage={stage} alone={alone} />
      )}
      {live.problem && (
        <p class="alert" role="alert">
          {live.problem}
        </p>
      )}
      <Stage
        stage={stage}
        canvas={canvas}
        live={live}
        title={title}
        mine={mine}
        past={past}
        still={state.replay ? RECORDED : there ? "" : ENDED}
        recorded={!!state.replay}
        elsewhere={!!elsewhere}
        begin={free ? () => live.send({ kind: "take" }) : undefined}
      />
      {!guest && <Timeline path={hub.path} targetId={targetId} recorded={!!state.replay} show={setPast} />}
      {there && !alone && <OwnTabs hub={hub} target={there} />}
      {!guest && <Facts hub={hub} target={target} now={state.now} />}
    </article>
  );
}

/** When a recording was made, and what it lacks. */
function Recorded({ began, cut }: { began: number; cut?: string }) {
  return (
    <>
      <p class="faint">
        Recorded on <time dateTime={new Date(began).toISOString()}>{new Date(began).toLocaleString()}</time>
      </p>
      {cut && (
        <p class="alert" role="status">
          The end of the recording is missing: {cut}
        </p>
      )}
    </>
  );
}

const RECORDED = "There is no picture of this recording.";
const ENDED = "This target has ended. Move the slider of the timeline.";

/** A target that has ended, as long as its timeline is kept. */
function endedOf(hub: Hub | undefined, targetId: string): Target | undefined {
  const closed = hub?.closed?.find((c) => c.targetId === targetId);
  return closed && { ...closed, type: "page" };
}

/** Announces the holder of the lease to screen readers, once there was one. */
function useHolderText(holder: HolderMessage | undefined): void {
  const held = useRef(false);
  if (holder?.name) held.current = true;
  const text = holder && held.current ? holderText(holder) : "";
  useEffect(() => {
    announce(text);
    return () => announce(""); // with the page goes what was said of it
  }, [text]);
}

function holderText(holder: HolderMessage): string {
  if (holder.mine) return "You have the page. Press Escape twice to hand it back.";
  if (holder.you) return "You have the page in another window.";
  return holder.name ? `${holder.name} has the page.` : "The page is free.";
}

function Gone({ name, text }: { name: string; text: string }) {
  const where = name ? `the hub ${name}` : "the default hub";
  const why = text || `It was closed, or it is not one of ${where} that you may see.`;
  return (
    <section class="card narrow">
      <h1>This target is not there</h1>
      <p>{why}</p>
      <p>
        <a href={linkTo({ at: "targets" })}>Go to all targets</a>
      </p>
    </section>
  );
}
