package actions

import "strings"

// mainDocument is what the main frame of a page shows, and what is known of the loads of its
// documents. Page.mu guards it.
type mainDocument struct {
	frame       string // the id of the main frame; "" before there is a session
	url         string // from the session's events; "" before
	loader      string
	unreachable string           // the address in whose place that is an error page; mostly ""
	leaving     bool             // it has begun a navigation to another one
	within      int              // navigations within the document
	loads       map[string]*load // by loader
}

// load is what is known of one document of the main frame.
type load struct {
	reached [NetworkIdle + 1]bool
	status  int
	headers map[string]string
	failed  string // "net::ERR_…"
}

// maxLoads is how many documents are remembered.
const maxLoads = 16

// load is the record of a document, by its loader. The record is made with the
// first event: the response to a document comes before the document is committed.
func (d *mainDocument) load(loader string) *load {
	if len(loader) > longestWord { // those of a browser are short
		loader = strings.Clone(loader[:longestWord])
	}
	l := d.loads[loader]
	if l == nil {
		if len(d.loads) >= maxLoads {
			for id := range d.loads {
				if id != d.loader {
					delete(d.loads, id)
				}
			}
		}
		l = new(load)
		d.loads[loader] = l
	}
	return l
}

// reached reports whether the document has come that far.
func (d *mainDocument) reached(state LoadState) bool { return d.load(d.loader).reached[state] }

// commit takes Page.frameNavigated of the main frame.
func (d *mainDocument) commit(e frameEvent) {
	d.loader, d.url, d.unreachable = e.Frame.LoaderID, e.Frame.URL, e.Frame.UnreachableURL
	d.leaving = false
	l := d.load(d.loader)
	l.reached[Commit] = true
	if e.Type == "BackForwardCacheRestore" { // which is as complete as it was left
		l.reached = [...]bool{true, true, true, true}
	}
}

// arrived reports whether a navigation has shown its document: the one with
// that loader, or where the loader is not known, another one than before. The
// document may have been left again.
func (d *mainDocument) arrived(loader, before string) bool {
	if loader == "" {
		return d.loader != before
	}
	l := d.loads[loader]
	return d.loader == loader || l != nil && l.reached[Commit]
}

// failure is the error of the request of a loader whose document was not committed; "" is none.
func (d *mainDocument) failure(loader string) string {
	if l := d.loads[loader]; l != nil && loader != "" && loader != d.loader {
		return l.failed
	}
	return ""
}
