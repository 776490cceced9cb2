// What the checks of chrome-remote-interface share.
import CDP from "chrome-remote-interface";
import { appPage, checks, endpoint } from "../support.mjs";

const { hostname: host, port } = new URL(endpoint);
export const at = { host, port: Number(port) };

export const check = checks(async () => {
  const client = await CDP(at);
  await client.Page.enable();
  await client.Runtime.enable();
  await go(client, appPage);
  return { client, close: () => client.close() };
});

export async function go(client, url) {
  const loaded = client.Page.loadEventFired();
  await client.Page.navigate({ url });
  await loaded;
}

export async function evaluate({ Runtime }, expression, more = {}) {
  const { result, exceptionDetails } = await Runtime.evaluate({ expression, returnByValue: true, ...more });
  if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
  return result.value;
}

export async function node({ DOM }, selector) {
  const { root } = await DOM.getDocument();
  return (await DOM.querySelector({ nodeId: root.nodeId, selector })).nodeId;
}

export async function click({ Input }, x, y, more = {}) {
  const press = { x, y, button: "left", clickCount: 1, ...more };
  await Input.dispatchMouseEvent({ type: "mousePressed", ...press });
  await Input.dispatchMouseEvent({ type: "mouseReleased", ...press });
}

/** middle scrolls a node into view and returns a point of it. */
export async function middle(client, selector) {
  const nodeId = await node(client, selector);
  await client.DOM.scrollIntoViewIfNeeded({ nodeId });
  const [[x1, y1, , , x2, y2]] = (await client.DOM.getContentQuads({ nodeId })).quads;
  return [(x1 + x2) / 2, (y1 + y2) / 2];
}
