import { useEffect, useState } from "preact/hooks";
import { announce } from "./announce";

export function Snippet({ client, code }: { client: string; code: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    announce("Copied.");
  };
  const id = `client-${client}`;
  return (
    <div class="snippet">
      <div class="row">
        <h3 id={id}>{client}</h3>
        {/* The clipboard API exists only in secure contexts: https, and loopback. */}
        {navigator.clipboard && (
          <button type="button" aria-describedby={id} onClick={copy}>
            {copied ? "Copied" : "Copy"}
          </button>
        )}
      </div>
      <pre>
        <code>{code}</code>
      </pre>
    </div>
  );
}
