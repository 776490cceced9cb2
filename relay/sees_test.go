package relay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/targets"
)

// The table of who sees what at a hub: seers are the rows, and ways, in sees_ways_test.go, are the
// columns. Each seer looks at each Target in each way, in a hub of its own.

// frames and pages are all Targets: those of a Host page, and those of a browser. POPUP was
// opened by MINE, which is one of the tabs of the owner "me". SECRET and VAULT are private to
// the Client ann, and STRAY to one that is not known. What DISK, LOCAL and VAULT show is no page of the web.
var (
	frames = []string{"MINE", "POPUP", "OTHER", "DISK"}
	pages  = []string{"PAGE", "LOCAL", "SECRET", "VAULT", "STRAY"}
)

// keeperHost is a browser that keeps tabs apart, and whose Clients inherit. The test answers
// its commands.
type keeperHost struct {
	familyHost
	calls []bridge.Command
}

func (k *keeperHost) Send(c bridge.Command) error {
	c.SessionID = strings.Clone(c.SessionID)
	k.calls = append(k.calls, c)
	return nil
}
func (*keeperHost) PageOf(id string) string             { return id }
func (*keeperHost) Inherit(string, string)              {}
func (*keeperHost) Given(*targets.Tabs, string)         {}
func (*keeperHost) Taken(tabs *targets.Tabs, id string) { tabs.Remove(id) }

// sights is a hub with all Targets.
type sights struct {
	t         *testing.T
	hub       *Hub
	infos     map[string]targets.Info
	page      bridge.Events
	host      *keeperHost
	browser   bridge.Events
	notes     *notes
	ann, mine *Client
	wrote     []string // folders of downloads
}

func newSights(t *testing.T) *sights {
	w := &sights{t: t, host: &keeperHost{}, notes: &notes{wants: []string{"ended"}}, infos: make(map[string]targets.Info)}
	n := 0
	w.hub = newHub(t, Options{
		NewID:      func() string { n++; return fmt.Sprint("S", n) },
		Observe:    func(*Hub) Observer { return w.notes },
		HandoffURL: func(_, ticket string) string { return ticket },
		Download:   saving(func(folder, _ string, _ []byte) error { w.wrote = append(w.wrote, folder); return nil }),
	})
	t.Cleanup(func() { // as the Host of a browser that ends does
		for _, of := range w.hub.owners {
			for _, id := range pages {
				of.tabs.Remove(id)
			}
		}
	})
	w.page, w.browser = setHost(w.hub, &mute{}, nil), setHost(w.hub, w.host, nil)
	w.ann = w.enter(ClientOptions{Name: "ann", Account: "A", Policy: scope.Full}).c
	w.mine = w.enter(ClientOptions{Name: "mine", Account: "M", Policy: OwnTabs{scope.Full, "me"}}).c
	w.ann.Receive([]byte(`{"id":1,"method":"Storage.getCookies"}`)) // makes its root
	owners := map[string]string{"SECRET": w.host.root, "VAULT": w.host.root, "STRAY": "of nobody"}
	notWeb := map[string]bool{"DISK": true, "LOCAL": true, "VAULT": true}
	for _, id := range slices.Concat(frames, pages) {
		i := targets.Info{ID: id, Title: "Title of " + id, URL: "http://app/" + id, Owner: owners[id], NotWeb: notWeb[id]}
		if id == "POPUP" {
			w.mine.tabs().Add("MINE")
			i.OpenerID = "MINE"
		}
		w.infos[id] = i
		if !w.eventsOf(id).TargetCreated(i) {
			t.Fatalf("%s was refused", id)
		}
	}
	return w
}

func (w *sights) eventsOf(id string) bridge.Events {
	if slices.Contains(pages, id) {
		return w.browser
	}
	return w.page
}

// eye is somebody who looks: a Client, a Watcher with the same rights, or both.
type eye struct {
	w       *sights
	options ClientOptions
	c       *Client
	in      *inbox
	watcher Watcher
}

func (w *sights) enter(o ClientOptions) *eye {
	w.t.Helper()
	c, err := w.hub.Admit(o)
	if err != nil {
		w.t.Fatal(err)
	}
	e := &eye{w, o, c, &inbox{}, Watcher{Policy: o.Policy, Account: o.Account}}
	c.Connect(peerOf{e.in})
	return e
}

// peerOf is a Lasting inbox.
type peerOf struct{ *inbox }

func (peerOf) BrowserEnded() {}

// ask sends a command, has the browser answer what reaches it, and returns all that comes.
func (e *eye) ask(command string) string {
	e.in.take()
	e.c.Receive([]byte(`{"id":7,` + command + `}`))
	for _, c := range e.w.host.calls {
		e.w.browser.Result(c.Call, c.SessionID, []byte(`{"targetInfos":[]}`), nil)
	}
	e.w.host.calls = nil
	return strings.Join(e.in.take(), "\n")
}

// as is a seer that has these rights, and does nothing before it looks.
func as(p Policy) func(w *sights) *eye {
	return func(w *sights) *eye { return w.enter(ClientOptions{Name: "seer", Account: "X", Policy: p}) }
}

// under is a seer with these rights while a person types on OTHER, for whom A has asked.
func under(p Policy, account string) func(w *sights) *eye {
	return func(w *sights) *eye {
		asker := w.enter(ClientOptions{Name: "asker", Account: "A", Policy: scope.Full})
		asker.ask(`"method":"Target.attachToTarget","params":{"targetId":"OTHER","flatten":true}`)
		asker.ask(`"method":"CdpHub.handoff","params":{"instructions":"type"},"sessionId":"` + onlySession(asker.c) + `"`)
		person, err := w.hub.JoinLocal(LocalOptions{ClientOptions: ClientOptions{Account: "person"}})
		if err != nil {
			w.t.Fatal(err)
		}
		if err := person.Take("OTHER", "Eve", LeaseOptions{Account: "person"}); err != nil {
			w.t.Fatal(err)
		}
		return w.enter(ClientOptions{Name: "seer", Account: account, Policy: p})
	}
}

// grantAll is a Client with tabs of its own to which somebody grants allTargets.
func grantAll(w *sights) *eye {
	e := as(OwnTabs{scope.Full, "you"})(w)
	for _, id := range slices.Concat(frames, pages) {
		w.hub.Control().Grant(id, e.c.name) // the table says which it gets
	}
	return e
}

// seer is a row: who looks, and the Targets that a Client and a Watcher of that kind see. A
// star says that neither title nor address is shown. "-" is for rows without a Client or a Watcher.
type seer struct {
	client, watcher string
	files           bool // it may name folders
	comes           func(w *sights) *eye
}

const (
	webOnly    = "MINE POPUP OTHER PAGE"
	allTargets = "MINE POPUP OTHER DISK PAGE LOCAL"
	ofOthers   = " SECRET VAULT STRAY"
	// All frames of a Host page reach each other by script.
	typedWeb = "MINE* POPUP* OTHER* PAGE"
	typedAll = "MINE* POPUP* OTHER* DISK* PAGE LOCAL"
)

var seers = map[string]seer{
	"no token":                   {allTargets, allTargets + ofOthers, true, as(nil)},
	"readonly":                   {webOnly, webOnly, false, as(scope.Readonly)},
	"standard":                   {webOnly, webOnly, false, as(scope.Standard)},
	"full, without a token":      {webOnly, webOnly, false, func(w *sights) *eye { return w.enter(ClientOptions{Policy: scope.Full}) }},
	"full":                       {webOnly, webOnly, false, as(scope.Full)},
	"privileged":                 {allTargets, allTargets + ofOthers, true, as(scope.Privileged)},
	"own tabs, none yet":         {"", "", true, as(OwnTabs{scope.Privileged, "you"})},
	"own tabs of the same token": {"MINE POPUP", "MINE POPUP", false, as(OwnTabs{scope.Full, "me"})},
	"own tabs that were granted": {webOnly, webOnly, false, grantAll},
	"own tabs that were revoked": {"", "", false, func(w *sights) *eye {
		e := grantAll(w)
		for _, id := range frames {
			for _, at := range []string{id, w.hub.tabPrefix + id} { // what it has on the page and on the tab ends with it
				e.ask(`"method":"Target.attachToTarget","params":{"targetId":"` + at + `","flatten":true}`)
			}
		}
		for _, id := range slices.Concat(frames, pages) {
			w.hub.Control().Revoke(id, e.c.name) // of those that it has
		}
		for s := range e.c.sessions {
			w.t.Errorf("after the tab was revoked, a session is left on %s", s.TargetID)
		}
		return e
	}},
	"own tabs that have left": {"MINE POPUP", "MINE POPUP", false, func(w *sights) *eye {
		w.mine.Leave()
		as(OwnTabs{scope.Full, "you"})(w)
		return as(OwnTabs{scope.Full, "me"})(w)
	}},
	"the Client of a private context": {webOnly, webOnly + " SECRET", false, func(w *sights) *eye {
		return w.enter(ClientOptions{Name: "seer", Account: "A", Policy: scope.Full})
	}},
	"the token of a private context that has left": {webOnly, webOnly + " SECRET", false, func(w *sights) *eye {
		w.ann.Leave()
		return w.enter(ClientOptions{Name: "seer", Account: "A", Policy: scope.Full})
	}},
	"own tabs, and a private context": {"", "SECRET VAULT", true, func(w *sights) *eye {
		return w.enter(ClientOptions{Name: "seer", Account: "A", Policy: OwnTabs{scope.Privileged, "you"}})
	}},
	"heir": {webOnly + " SECRET", webOnly + " SECRET", false, func(w *sights) *eye {
		e := as(scope.Full)(w)
		e.c.Succeed(w.ann)
		w.ann.Leave()
		return e
	}},
	"whose contexts have an heir": {webOnly, webOnly, false, func(w *sights) *eye {
		as(scope.Full)(w).c.Succeed(w.ann)
		w.ann.Leave()
		return w.enter(ClientOptions{Name: "seer", Account: "A", Policy: scope.Full})
	}},
	"view of a private page": {webOnly + " SECRET", "SECRET", false, func(w *sights) *eye {
		e := w.enter(ClientOptions{Name: "seer", Policy: scope.Full, PrivateOf: "SECRET"})
		e.watcher = Watcher{Policy: scope.Full, Only: "SECRET", Whole: true}
		return e
	}},
	"full, while a person has a private page": {webOnly, webOnly, false, func(w *sights) *eye {
		view := w.enter(ClientOptions{PrivateOf: "SECRET"})
		if err := (&Local{client: view.c}).Take("SECRET", "Eve", LeaseOptions{}); err != nil {
			w.t.Error(err)
		}
		return as(scope.Full)(w)
	}},
	"view of a frame":        {webOnly, "OTHER", false, guestOf("OTHER")},
	"guest of a file":        {webOnly, "", false, guestOf("DISK")},
	"full" + typing:          {typedWeb, typedWeb, false, under(scope.Full, "X")},
	"privileged" + typing:    {allTargets, allTargets + ofOthers, true, under(scope.Privileged, "X")},
	"no token" + typing:      {typedAll, typedAll + ofOthers, true, under(nil, "")},
	"who has asked" + typing: {typedAll, typedAll + ofOthers, true, under(scope.Privileged, "A")},
}

// guestOf is a guest, or the view, of one Target; the Client beside it has scope full.
func guestOf(id string) func(w *sights) *eye {
	return func(w *sights) *eye {
		e := as(scope.Full)(w)
		e.watcher = Watcher{Policy: scope.Full, Only: id}
		return e
	}
}

// typing ends the names of rows in which a person types on OTHER.
const typing = ", while a person types"

// TestR280WhoSeesWhat walks the table.
func TestR280WhoSeesWhat(t *testing.T) {
	for who, s := range seers {
		for how, way := range ways {
			list := s.client
			if way.policies && strings.HasSuffix(who, typing) {
				list = strings.ReplaceAll(list, allTargets, typedAll)
			}
			if way.watches {
				list = s.watcher
			} else if way.common {
				list = strings.ReplaceAll(list, "SECRET", "")
			}
			for _, id := range slices.Concat(frames, pages) {
				if way.frames && slices.Contains(pages, id) {
					continue
				}
				w := newSights(t)
				e := s.comes(w)
				sees, whole := seesIn(list, id)
				sees = sees && (s.files || !way.files)
				got := way.shows(e, id)
				switch {
				case got == refusedByScope:
				case (got != "") != sees:
					t.Errorf("%s, by %s: sees %s is %v, want %v: %s", who, how, id, got != "", sees, got)
				case sees && way.titles && strings.Contains(got, "Title of "+id) != whole:
					t.Errorf("%s, by %s: sees the title of %s is %v: %s", who, how, id, !whole, got)
				}
				if err := w.hub.check(); err != nil {
					t.Errorf("%s, by %s of %s: %v", who, how, id, err)
				}
				w.browser.HostGone(false)
				w.page.HostGone(false)
				if n := len(w.hub.private); n > 0 {
					t.Errorf("the owners of %d private Targets that have gone are remembered", n)
				}
			}
		}
	}
}

// seesIn looks a Target up in a row: whether it is seen, and with its title.
func seesIn(list, id string) (sees, whole bool) {
	words := strings.Fields(list)
	whole = slices.Contains(words, id)
	return whole || slices.Contains(words, id+"*"), whole
}
