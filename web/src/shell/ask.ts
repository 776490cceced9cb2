// What the page asks its hub by HTTP, since a browser does not tell why a WebSocket was refused.

/** Why the hub does not accept this page as a Host. */
export interface Refusal {
  status: number;
  text: string;
}

function get(path: string, token: string): Promise<Response> {
  return fetch(path, { cache: "no-store", headers: token ? { Authorization: `Bearer ${token}` } : {} });
}

/** Why the hub refuses this page; undefined if it does not, or is down. */
export async function askHub(token: string): Promise<Refusal | undefined> {
  try {
    // Refused for the same reasons as the WebSocket; otherwise the answer is 426, since this request is none.
    const answer = await get("icdp/host?standby", token);
    if (![401, 403, 404, 429, 503].includes(answer.status)) return undefined;
    return { status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** How many Clients the hub has; undefined if it does not say. */
export async function clientsOf(token: string): Promise<number | undefined> {
  try {
    const answer = await get("host.json", token);
    return answer.ok ? (await answer.json()).hubs[0].clients : undefined;
  } catch {
    return undefined;
  }
}
