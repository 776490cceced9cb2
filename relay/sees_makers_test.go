package relay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// askWay names a Target in a command: a frame, the tab of one, or pages too. The answer for one
// that is not seen must be the answer for an id that is none.
func askWay(of, method, more string) way {
	return way{frames: of != "pages", common: method == "CdpHub.grant", titles: of == "" && method == "Target.getTargetInfo", shows: func(e *eye, id string) string {
		ask := func(id string) string {
			if of == "tab" {
				id = e.w.hub.tabPrefix + id
			}
			return e.ask(`"method":"` + method + `","params":{"targetId":"` + id + `"` + more + `}`)
		}
		if of == "alone" {
			e.w.browser.HostGone(false)
		}
		none, got := ask("NONE"), ask(id)
		switch {
		case strings.Contains(none, "scope"):
			return refusedByScope
		case of == "alone" && e.c.owner != nil && !strings.Contains(none, errNoTarget.Message):
			return "an id that is none: " + none
		case strings.Contains(got, errNoTarget.Message), got == none && strings.Contains(none, `"error"`):
			return ""
		}
		return got
	}}
}

// refusedByScope is what a way shows to a seer whose scope does not allow the command at all.
const refusedByScope = "not allowed"

// listWay asks for Targets, and shows what is said of one.
func listWay(command string) way {
	return way{frames: true, titles: true, shows: func(e *eye, id string) string {
		return linesWith(e.ask(command), id)
	}}
}

// aloneWay is listWay at a hub without a browser, after a Client that sees all frames has asked.
func aloneWay(command string) way {
	l := listWay(command)
	shows := l.shows
	l.shows = func(e *eye, id string) string {
		e.w.browser.HostGone(false)
		if id != "DISK" { // as at most hubs, where all Clients without tabs of their own get the same list
			e.w.page.TargetGone("DISK")
			e.w.hub.listing.partial = false
		}
		as(nil)(e.w).ask(command)
		return shows(e, id)
	}
	return l
}

// linesWith are the parts of a text that tell of a Target.
func linesWith(text, id string) string {
	var list []string
	for _, part := range strings.SplitAfter(text, "}") {
		if strings.Contains(part, `"`+id+`"`) {
			list = append(list, part)
		}
	}
	return strings.Join(list, "")
}

// hearWay has a seer discover Targets and be attached to new ones, lets something happen, and shows
// what it hears of a Target.
func hearWay(frames bool, happens func(e *eye, id string) (of string)) way {
	return way{frames: frames, common: true, shows: func(e *eye, id string) string {
		e.ask(discovers)
		e.ask(autoPages)
		of := happens(e, id)
		return linesWith(strings.Join(e.in.take(), "\n"), of)
	}}
}

// downloadWay has a seer ask for downloads, and shows what it hears of one, or the folder of the file.
func downloadWay(file, oldWire bool, asks func(e *eye)) way {
	return way{frames: true, files: file, shows: func(e *eye, id string) string {
		asks(e)
		e.in.take()
		if oldWire {
			e.w.page.Event(id, downloadBegins, []byte(`{"frameId":"`+id+`","guid":"G","url":"http://app/x"}`))
			e.w.page.Event(id, downloadProgress, []byte(`{"guid":"G","totalBytes":2,"receivedBytes":2,"state":"completed","suggestedFilename":"a.txt","contents":"aGk="}`))
		} else {
			e.w.page.DownloadBegins(bridge.Download{TargetID: id, FrameID: id, GUID: "G", URL: "http://app/x"})
			e.w.page.DownloadPart("G", []byte("hi"))
			e.w.page.DownloadEnds("G", 2)
		}
		if file {
			return strings.Join(e.w.wrote, " ")
		}
		return strings.Join(e.in.take(), "\n")
	}}
}

// shownBy shows a Target unless the error is that for an unknown one.
func shownBy(err error) string {
	if errors.Is(err, ErrNoTarget) {
		return ""
	}
	return fmt.Sprint("found ", err)
}

// restored is a Client with the rights of a seer that comes from another node.
func restored(e *eye, st ClientState) {
	c := e.w.enter(e.options)
	c.c.Restore(st)
	e.c, e.in = c.c, c.in
}

func restoreWay(kind session.Kind) way {
	return way{frames: true, shows: func(e *eye, id string) string {
		id = e.w.hub.idOf(kind, targets.Info{ID: id})
		restored(e, ClientState{Sessions: []SessionState{{ID: "R", Kind: kind, TargetID: id}}})
		if e.w.hub.sessions.get("R") == nil {
			return ""
		}
		return "a session"
	}}
}
