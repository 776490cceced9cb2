import { useState } from "preact/hooks";
import { access, headers } from "../api/access";
import type { Hub, Target } from "../api/wire";

/** Opens DevTools on a target, in a new tab. */
export function DevTools({ hub, target }: { hub: Hub; target: Target }) {
  const [problem, setProblem] = useState("");
  const address = `${hub.path}/devtools/ui/?target=${encodeURIComponent(target.targetId)}`;
  const open = async (event: Event) => {
    if (!access().secret) return; // without a token the plain link works
    event.preventDefault();
    try {
      // A link cannot send the token in a header. The hub redirects this request to the front end, with a ticket in
      // place of the token.
      const answer = await fetch(address, { headers: headers() });
      if (answer.ok) window.open(answer.url, "_blank", "noopener");
      setProblem(answer.ok ? "" : await answer.text());
    } catch {
      setProblem("The hub does not answer. Try again when it is back.");
    }
  };
  return (
    <>
      <a class="button" href={address} target="_blank" rel="noopener" onClick={open}>
        DevTools<span class="unseen"> (opens a new tab)</span>
      </a>
      {problem && (
        <span class="alert" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
