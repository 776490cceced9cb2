// The agent as one classic script: <script src="HUB/agent.js" data-parents="https://host.example">.

import { setNonce } from "./runtime/evaluate";
import { setAgentUrl } from "./link/hub";
import { addOwnAddress } from "./link/scriptelement";
import { setAddress } from "./page/frames";
import { redirectToProxy } from "./page/moved";
import { addBaseUrl } from "./base/bundles";
import { setOwnUrl } from "./runtime/serialize";
import { startFrameAgent } from "./start";
import "./lazy";

export { startFrameAgent } from "./start";

const element = document.currentScript;
if (element instanceof HTMLScriptElement) {
  setOwnUrl(element.src);
  addBaseUrl(element.src);
  setNonce(element.nonce ?? "");
  const listed = element.dataset.parents?.split(/[\s,]+/).filter(Boolean);
  const allowedParents = listed ?? (element.src ? [new URL(element.src).origin] : [location.origin]);
  const { url, key, response, upstream, also, alone, proxyKey } = element.dataset;
  setAgentUrl(element.src, proxyKey);
  if (url) {
    setAddress(url);
    addOwnAddress(element.src); // the Host has written this element, so the page did not request the script
  }
  element.remove(); // frameworks that hydrate the whole document must not find a node that they have not rendered
  if (upstream) redirectToProxy(upstream, also);
  startFrameAgent({ allowedParents, key, response, upstream, alone: alone === "" });
}
