package proxy

import "net/http"

// editWorker puts the agent of workers in front of a worker's script, in its first
// line, so that line numbers in errors stay as they are. The agent does nothing in a
// worker that the agent of a page has not started.
func (p *handler) editWorker(res *http.Response) {
	if res.StatusCode/100 != 2 || !hasBody(res) {
		return
	}
	p.makeEditable(res)
	prependScript(res, p.worker)
}
