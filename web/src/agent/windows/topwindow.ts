// Has programs of Clients, and scripts of srcdoc documents that script has made, get the window of the app where they
// say window.top, as the proxy does in the scripts that it serves (internal/proxy/rewrite/script.go). window.top can be
// neither replaced nor hidden (HTML, LegacyUnforgeable).

import { proxyBase } from "../link/hub";
import { scan } from "../runtime/statements";

const TOP = /\b(window|self|parent)\??\.top\b(?!\s*=[^=])/y;
const REPLACED = "new function(){for(var w=self,p;(p=w.parent)!=w;w=p)try{p.origin}catch{break}return w}()";

/** A program in which window.top is the outermost window that belongs to the app. */
export function replaceTop(program: string): string {
  if (!proxyBase() || !program.includes(".top")) return program;
  let replaced = "";
  let from = 0;
  scan(program, (i) => {
    TOP.lastIndex = i;
    if (/[.$]/.test(program.charAt(i - 1)) || !TOP.test(program)) return;
    replaced += program.slice(from, i) + REPLACED;
    from = TOP.lastIndex;
  });
  return replaced + program.slice(from);
}

/** Has the scripts of a srcdoc document that is still to come say so. */
export function replaceTopIn(owner: Element): void {
  const given = owner.getAttribute("srcdoc") ?? "";
  const replaced = given.replace(/(<script[^>]*>)(.*?)(?=<\/script)/gis, (_, tag, text) => tag + replaceTop(text));
  if (replaced !== given) owner.setAttribute("srcdoc", replaced);
}
