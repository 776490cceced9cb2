package relay

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// fakeHost writes down what a Host is asked.
type fakeHost struct {
	stage   *stage
	name    string
	events  bridge.Events
	handles []string
	refuses string // a method
	why     string
	full    bool
	hung    bool
	lost    bool
}

func (f *fakeHost) ready(words []string) error {
	var list []targets.Info
	var host bridge.Host = f
	id, slot := "", ""
	for _, w := range words {
		m, handled := strings.CutPrefix(w, "handles=")
		v, named := strings.CutPrefix(w, "id=")
		place, slotted := strings.CutPrefix(w, "slot=")
		switch {
		case handled:
			f.handles = append(f.handles, m)
		case named:
			id = v
		case slotted:
			slot = place
		case w == "sessions":
			host = announced{f}
		case w == "nested":
			host = nesting{announced{f}}
		case w == "browser":
			host = browserHost{announced{f}}
		default:
			w, opener, _ := strings.Cut(w, "<")
			list = append(list, targets.Info{OpenerID: opener, ID: w, Title: "Title of " + w, URL: "http://app/" + w})
		}
	}
	if n, ok := host.(nesting); ok && id != "" {
		host = nestingAgain{n}
	}
	if a, ok := host.(announced); ok && id != "" {
		host = returning{a}
	}
	if slot != "" {
		host = inSlot(host, slot)
	}
	if f.stage.dress != nil {
		host = f.stage.dress(host)
	}
	if f.events != nil && !f.lost {
		f.events.Reannounced(bridge.Announcement{HostID: id, Targets: list})
		return nil
	}
	var err error
	f.events, err = f.stage.hub.SetHost(host, bridge.Announcement{HostID: id, Targets: list})
	f.lost = false
	return err
}

func (f *fakeHost) answer(verb string, a []string) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	sessionID, body := strings.TrimPrefix(a[1], "-"), []byte(a[2])
	if verb == "error" {
		f.events.Result(bridge.CallID(n), sessionID, nil, body)
	} else {
		f.events.Result(bridge.CallID(n), sessionID, body, nil)
	}
	return nil
}

func (f *fakeHost) Send(c bridge.Command) error {
	if f.full {
		return errors.New("queue full")
	}
	if c.Method == f.refuses {
		return wire.ServerError(f.why)
	}
	f.stage.got(f.name, "command %d %s %s %s %s", c.Call, dash(c.SessionID), dash(c.TargetID), c.Method, dash(string(c.Params)))
	return nil
}

// Responsive implements bridge.Liveness.
func (f *fakeHost) Responsive() bool { return !f.hung }

func dash(s string) string { return cmp.Or(s, "-") }

func (f *fakeHost) Release(sessionID, targetID string) {
	f.stage.got(f.name, "release %s %s", sessionID, dash(targetID))
}

func (f *fakeHost) Close(r bridge.Reason) { f.stage.got(f.name, "close %s", r) }

func (f *fakeHost) Handles(method string) bool { return slices.Contains(f.handles, method) }

// announced is a Host that is told of sessions.
type announced struct{ *fakeHost }

// AsksHub says that its pages' dialogs are the hub's.
func (f announced) AsksHub() bool { return true }

func (f announced) Attached(a bridge.Attachment) {
	f.stage.got(f.name, "attached %s %s", a.SessionID, dash(a.TargetID))
}

// browserHost is one that serves the browser level.
type browserHost struct{ announced }

func (f browserHost) Slot() string { return bridge.BrowserSlot }

func (f browserHost) AttachedToBrowser(a bridge.Attachment) { f.Attached(a) }

func (f browserHost) Inherit(from, to string) { f.stage.got(f.name, "inherit %s %s", from, to) }

// returning is one that may come back to them.
type returning struct{ announced }

func (f returning) Resumed() { f.stage.got(f.name, "resumed") }

// nesting is one whose pages have workers.
type nesting struct{ announced }

func (f nesting) NestsSessions() bool { return true }

// nestingAgain is one of those that may come back to its other sessions.
type nestingAgain struct{ nesting }

func (f nestingAgain) Resumed() { f.stage.got(f.name, "resumed") }
