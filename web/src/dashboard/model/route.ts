// The views of the page, in the fragment of its URL.

export type Route = { at: "targets" } | { at: "connect" } | { at: "target"; hub: string; targetId: string };

export function parseRoute(hash: string): Route {
  if (hash === "#/connect") return { at: "connect" };
  const match = /^#\/(?:hub\/([^/]+)\/)?target\/([^/]+)$/.exec(hash);
  if (!match) return { at: "targets" };
  try {
    return { at: "target", hub: decodeURIComponent(match[1] ?? ""), targetId: decodeURIComponent(match[2]!) };
  } catch {
    return { at: "targets" }; // malformed percent-encoding
  }
}

export function linkTo(route: Route): string {
  if (route.at !== "target") return route.at === "connect" ? "#/connect" : "#/";
  const hub = route.hub && `hub/${encodeURIComponent(route.hub)}/`;
  return `#/${hub}target/${encodeURIComponent(route.targetId)}`;
}
