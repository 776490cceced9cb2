// What a driver of a shared tab may ask for. These rules hold whatever the hub says, since the hub may be somebody else's: a
// tab that is attached can otherwise read the cookies of all sites, open files, and change what belongs to the whole
// browser (chrome.debugger of Chromium 156). The hub has none of them.

import { mayShare } from "./address";

export type Params = Record<string, unknown>;

/** The page of the tab, and host and port of the hub's own pages. */
export interface Page {
  url: string;
  hubs: readonly string[];
}

/** What is sent in the place of a command, or why it is not. */
export type Verdict = { method: string; params: Params } | { refuse: string };

/** Domains that are about the page. All others are about the browser, or unknown, and refused. */
const PAGE_DOMAINS = new Set(
  (
    "Accessibility Audits CSS Console DOM DOMDebugger DOMSnapshot Debugger Emulation Fetch IO Input Inspector Log " +
    "Network Overlay Page Performance Runtime WebAudio"
  ).split(" "),
);

const SITE = "a shared tab has the cookies of its own site only";
const BROWSER = "it is about the whole browser, and only a tab is shared";
const FILES = "files of the machine are not shared";
const ASKED = "it answers a question that the browser asks its user";

/** Methods of these domains that reach beyond the page. */
const REFUSED: Record<string, string> = {
  "DOM.getFileInfo": FILES,
  "DOM.setFileInputFiles": FILES,
  "Emulation.addScreen": BROWSER,
  "Emulation.getScreenInfos": BROWSER,
  "Emulation.removeScreen": BROWSER,
  "Emulation.setPrimaryScreen": BROWSER,
  "Emulation.updateScreen": BROWSER,
  "Network.clearBrowserCache": BROWSER,
  "Network.clearBrowserCookies": BROWSER,
  "Network.deleteDeviceBoundSession": SITE,
  "Network.enableDeviceBoundSessions": SITE,
  "Network.loadNetworkResource": "it would load other sites as the user: use fetch in the page",
  "Network.setCookieControls": BROWSER,
  "Page.crash": "the tab is its user's",
  "Page.deleteCookie": SITE,
  "Page.getSiblingSubApps": BROWSER,
  "Page.getSubApps": BROWSER,
  "Page.setDownloadBehavior": BROWSER,
  "Page.setRPHRegistrationMode": ASKED,
  "Page.setSPCTransactionMode": ASKED,
};

type Rule = (params: Params, page: Page) => Verdict;

const getCookies: Rule = ({ urls }, page) => {
  const list = Array.isArray(urls) ? urls : [page.url];
  if (!list.every((url) => isOwn(page, hostOf(url)))) return { refuse: SITE };
  return { method: "Network.getCookies", params: { urls: list } };
};

const changeCookie =
  (method: string): Rule =>
  (params, page) =>
    isOwnCookie(params, page) ? { method, params } : { refuse: SITE };

const setCookies: Rule = ({ cookies }, page) => {
  if (!Array.isArray(cookies) || !cookies.every((c) => isOwnCookie(c, page))) return { refuse: SITE };
  return { method: "Network.setCookies", params: { cookies } };
};

const RULES: Record<string, Rule> = {
  "Input.dispatchDragEvent": (params) => {
    const { files } = (params.data ?? {}) as Params; // paths
    return files === undefined || (Array.isArray(files) && files.length === 0)
      ? { method: "Input.dispatchDragEvent", params }
      : { refuse: FILES };
  },
  "Network.deleteCookies": changeCookie("Network.deleteCookies"),
  "Network.getAllCookies": (_, page) => getCookies({}, page),
  "Network.getCookies": getCookies,
  "Network.setCookie": changeCookie("Network.setCookie"),
  "Network.setCookies": setCookies,
  "Page.navigate": (params, page) =>
    typeof params.url === "string" && mayShare(params.url, page.hubs)
      ? { method: "Page.navigate", params }
      : { refuse: "a shared tab goes to http:, https:, about:blank, data: and blob: only, and not to the hub" },
  "Page.startScreenRecording": (params) =>
    params.captureArea === undefined || params.captureArea === "target"
      ? { method: "Page.startScreenRecording", params }
      : { refuse: BROWSER },
  "Storage.getCookies": (_, page) => getCookies({}, page),
  "Storage.setCookies": setCookies,
  "Target.setAutoAttach": (params) => ({ method: "Target.setAutoAttach", params }),
};

/** Decides on a command. */
export function judge(method: string, params: Params, page: Page): Verdict {
  const rule = Object.hasOwn(RULES, method) ? RULES[method] : undefined;
  const verdict = rule ? rule(params, page) : judgeOther(method, params);
  return "refuse" in verdict
    ? { refuse: `${method} is not possible in a tab that its user shares: ${verdict.refuse}` }
    : verdict;
}

function judgeOther(method: string, params: Params): Verdict {
  if (Object.hasOwn(REFUSED, method)) return { refuse: REFUSED[method]! };
  return PAGE_DOMAINS.has(method.split(".", 1)[0]!) ? { method, params } : { refuse: BROWSER };
}

function hostOf(address: unknown): string {
  try {
    return new URL(String(address)).hostname;
  } catch {
    return "";
  }
}

/** Whether the tab shows a page of this host. */
function isOwn(page: Page, host: string): boolean {
  return host !== "" && host === hostOf(page.url) && /^https?:/.test(page.url);
}

/** Whether a cookie is one that the page could have set: for its host, or for a domain that the host is in. */
function isOwnCookie(cookie: unknown, page: Page): boolean {
  const { url, domain } = (cookie ?? {}) as Params;
  if (url !== undefined && !isOwn(page, hostOf(url))) return false;
  if (domain === undefined) return url !== undefined;
  const host = hostOf(page.url);
  const own = String(domain).replace(/^\./, "").toLowerCase();
  return isOwn(page, host) && own !== "" && (host === own || host.endsWith("." + own));
}
