// Network.setUserAgentOverride as far as page script can carry it out: what a
// document's own scripts are told. The headers of requests stay the browser's.

import type { Json } from "./protocol";

/** What of a navigator is overridden, by properties of its own. */
export const NAVIGATOR_KEYS = ["userAgent", "appVersion", "language", "languages", "platform"];

/** The name under which a session's script is kept. */
export function userAgentScriptId(sessionId: string): string {
  return `user-agent.${sessionId}`;
}

/**
 * A script that makes a window's navigator answer what the params of
 * Network.setUserAgentOverride say, or, with none, what it is.
 */
export function userAgentScript(p: Json = {}): string {
  const { userAgent, acceptLanguage, platform } = p;
  const languages = acceptLanguage && String(acceptLanguage).split(",").map((l) => l.split(";")[0].trim());
  const values = {
    ...(userAgent && { userAgent, appVersion: String(userAgent).replace(/^Mozilla\//, "") }),
    ...(languages && { language: languages[0], languages }),
    ...(platform && { platform }),
  };
  return `((v,n)=>{for(const k of ${JSON.stringify(NAVIGATOR_KEYS)})` +
    `if(k in v)Object.defineProperty(n,k,{configurable:true,get:()=>v[k]});else delete n[k]})(${JSON.stringify(values)},navigator)`;
}
