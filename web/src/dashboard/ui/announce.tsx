// A live region: tells screen readers of changes that are visible elsewhere.

import { useEffect, useState } from "preact/hooks";

let listener: ((text: string) => void) | undefined;

export function announce(text: string): void {
  listener?.(text);
}

export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    listener = setText;
    return () => (listener = undefined);
  }, []);
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  );
}
