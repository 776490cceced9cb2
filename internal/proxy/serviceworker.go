package proxy

import (
	"io"
	"net/http"
	"regexp"
	"strings"
)

// workerStart is put before the script of a service worker. %TAG% is the agent's
// tag as a string of JavaScript. It is one line, so that the lines of errors stay.
//
// Its listener is the first one, and keeps requests below prefix from the app's own:
// a worker that answers everything would answer for the agent, too. And HTML that
// the worker has made itself gets the tag, after the start of the document. What it
// has fetched has the tag already.
const workerStart = `{const own="` + prefix + `",tag=%TAG%,{respondWith}=FetchEvent.prototype,` +
	`start=/^(?:\s|<!--[^]*?-->|<!doctype[^>]*>|<html[^>]*>|<head[^>]*>)*/i,` +
	`tagged=async given=>{const r=await given;` +
	`if(!(r instanceof Response)||r.type!=="default"||!r.body||!/^text\/html/i.test(r.headers.get("content-type")))return r;` +
	`const text=await r.text(),headers=new Headers(r.headers);headers.delete("content-length");` +
	`return new Response(text.includes(own+"agent.js")?text:text.replace(start,s=>s+tag),{status:r.status,statusText:r.statusText,headers})};` +
	`addEventListener("fetch",e=>{const u=new URL(e.request.url);` +
	`if(u.origin===location.origin&&u.pathname.startsWith(own))e.stopImmediatePropagation()});` +
	`FetchEvent.prototype.respondWith=function(r){respondWith.call(this,this.request.mode==="navigate"?tagged(r):r)}}`

// workerEnd takes the place of the script of a service worker that may not run.
//
// A worker that an earlier visit has registered serves documents for as long as its
// registration stays, and an update that fails leaves it there. It is replaced by this
// one, which ends the registration and loads the pages again, from the proxy now. A page
// that registers a worker anew gets an error.
const workerEnd = `if(!registration.active)throw new Error("cdphub proxy --no-sw serves no service workers");` +
	`addEventListener("install",()=>skipWaiting());` +
	`addEventListener("activate",e=>e.waitUntil(registration.unregister().then(()=>clients.matchAll({type:"window"}))` +
	`.then(all=>{for(const c of all)c.navigate(c.url).catch(()=>{})})))`

// endServiceWorker answers a request for the script of a service worker by workerEnd.
// The scope of the worker that it replaces may be any.
func endServiceWorker(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/javascript")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Service-Worker-Allowed", "/")
	io.WriteString(w, workerEnd) //nolint:errcheck // a browser that is gone
}

// prependScript puts a script before that of a response, in its first line, and leaves a
// strict script strict.
func prependScript(res *http.Response, start string) {
	if strictStart.Match(peekBody(res)) {
		start = `"use strict";` + start
	}
	res.Body = wrapBody(start, res.Body, "", res.Body)
}

// strictStart matches a script that begins with the directive "use strict", which
// counts only where nothing but directives is before it (ECMA-262, 11.2.1).
var strictStart = regexp.MustCompile(`^(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*(?:"use strict"|'use strict')`)

// editServiceWorker puts workerStart before the script of a service worker. It leaves
// other responses as they are: a 404 is no script.
func (p *handler) editServiceWorker(res *http.Response, own origin) {
	if res.StatusCode != http.StatusOK || !hasBody(res) {
		return
	}
	p.makeEditable(res)
	tag := mustEncode(string(p.tag(own, navigationResponse{}, "", false)))
	prependScript(res, strings.Replace(workerStart, "%TAG%", string(tag), 1)+p.addressStart(own))
}
