// Documents that the Host makes in a frame: blank ones, and those of data: URLs. Both are data: URLs that contain the
// agent. Such a document has an opaque origin (HTML, "determining the origin"), also after a reload and when history
// leads back to it.

import { isBlank } from "./addresses";
import { addElement, isDataDocument } from "./datadocument";

/** Whether the Host makes the document of an address itself. */
export function isMade(url: string): boolean {
  return isBlank(url) || isDataDocument(url);
}

/** The URL of the agent's script, and whether the hub serves it. */
export interface AgentScript {
  agentUrl: string;
  ofHub: boolean;
}

/**
 * The data: URL of a document that the Host makes. The agent's script tag comes first, after a doctype
 * if there is one.
 */
export function madeDocument(url: string, { agentUrl, ofHub }: AgentScript, key: string): string {
  const blank = isBlank(url);
  const tag = document.createElement("script");
  tag.src = agentUrl;
  // Without CORS, browsers report errors as "Script error.". The hub lets every origin read its scripts; other
  // servers may not.
  if (ofHub) tag.crossOrigin = "anonymous";
  // The page can read this in its address, so that nothing of the sessions is in it.
  Object.assign(tag.dataset, { parents: location.origin, url, key });
  if (!blank) return addElement(url, tag);
  const fragment = /#.*$/s.exec(url)?.[0] ?? "";
  return `data:text/html;charset=utf-8,${encodeURIComponent(`<script>(${becomeBlank})()</script>${tag.outerHTML}`)}${fragment}`;
}

/**
 * Runs in a document that is to become blank, in front of the agent's tag, which it hides in a <template>.
 * The document must get the URL about:blank. A document takes the URL of the document that calls open() on it (HTML,
 * "document open steps"), so an inner iframe at about:blank calls it. Then the agent's tag is written.
 * Where a policy forbids inline script, the URL stays, and only the agent says that the document is blank. The same
 * holds in a sandboxed iframe, whose documents cannot reach one another. The sandbox of a Launch may still be there:
 * the browser learns of its end and of the navigation from two processes, in any order. After a reload it is gone.
 */
function becomeBlank(): void {
  document.write("<template>");
  addEventListener(
    "load",
    () => {
      const tag = (document.querySelector("template") as HTMLTemplateElement).innerHTML;
      const { hash } = location;
      const inner = document.documentElement.appendChild(document.createElement("iframe")).contentDocument;
      const [{ type }] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
      if (!inner && type !== "reload") return location.reload();
      const script = inner?.createElement("script");
      if (script) {
        script.textContent = "parent.document.open()";
        inner?.documentElement.append(script);
      }
      if (hash) location.hash = hash;
      document.write(tag);
      document.close();
    },
    { once: true },
  );
}
