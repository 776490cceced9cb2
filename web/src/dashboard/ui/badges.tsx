import type { Target } from "../api/wire";

/** `mine`: this window has the target, and says so itself. */
export function Badges({ target, mine = false }: { target: Target; mine?: boolean }) {
  return (
    <p class="badges">
      {target.unresponsive && <span class="badge bad">unresponsive</span>}
      {target.handoff && <span class="badge strong">asks for help</span>}
      {target.holder && !mine && (
        <span class="badge strong">held by {target.holder.you ? "you" : target.holder.name}</span>
      )}
      {target.client && (
        <span class="badge" title={`In a browser context of ${target.client}: no other client sees it.`}>
          private
        </span>
      )}
      {target.drawn && (
        <span
          class="badge"
          title="Drawn from the page's DOM by script, because script in a frame cannot read its pixels."
        >
          drawn
        </span>
      )}
      {target.type !== "page" && target.type !== "iframe" && <span class="badge">{target.type}</span>}
    </p>
  );
}
