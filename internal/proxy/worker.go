package proxy

import (
	"net/http"
	"strings"
)

// editWorker puts addressStart and, where the worker is a dedicated one, the agent of workers
// in front of a worker's script, in its first line, so that line numbers in errors stay as
// they are. The agent does nothing in a worker that the agent of a page has not started.
func (p *handler) editWorker(res *http.Response, e *exchange) {
	if res.StatusCode/100 != 2 || !hasBody(res) {
		return
	}
	p.makeEditable(res)
	start := p.addressStart(e.own)
	if e.worker == "worker" {
		start += p.worker
	}
	prependScript(res, start)
}

// addressStart is put before the script of a worker, in whose first line it is: what the
// script names by the app's own address is that of the proxy. In a page the agent sees to
// that. %SITES% are the origins at the servers, each with that of the proxy.
const addressStart = `{const sites=%SITES%,at=given=>{let u;try{u=new URL(given,location.href)}catch{return given}` +
	`const ws=/^ws/.test(u.protocol),origin=u.origin.replace(/^ws/,"http");` +
	`return origin in sites?(ws?sites[origin].replace("http","ws"):sites[origin])+u.href.slice(u.origin.length):given},` +
	`{fetch,importScripts}=self,{open}=self.XMLHttpRequest?.prototype??{};` +
	`for(const name of["WebSocket","EventSource","Request","Worker"])if(self[name])self[name]=new Proxy(self[name],{construct:(t,[u,...rest],n)=>` +
	`Reflect.construct(t,[typeof u==="object"&&!(u instanceof URL)?u:at(u),...rest],n)});` +
	`self.fetch={fetch(u,...rest){return fetch.call(this,typeof u==="object"&&!(u instanceof URL)?u:at(u),...rest)}}.fetch;` +
	`if(importScripts)self.importScripts=(...all)=>importScripts(...all.map(at));` +
	`if(open)XMLHttpRequest.prototype.open=function(method,u,...rest){return open.call(this,method,at(u),...rest)}}`

func (p *handler) addressStart(own origin) string {
	sites := map[string]string{}
	for _, site := range p.movesFor(own) {
		for _, name := range site.upstream.names() {
			sites[name] = site.own.String()
		}
	}
	return strings.Replace(addressStart, "%SITES%", string(mustEncode(sites)), 1)
}
