package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/targets"
)

// ledger is a hub that writes down what its Host says.
type ledger struct {
	host  bridge.Host
	lines chan string
}

func (l *ledger) note(format string, args ...any) { l.lines <- fmt.Sprintf(format, args...) }

func (l *ledger) SetHost(h bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	l.host = h
	if a.HostID == "late" {
		return nil, errors.New("overtaken")
	}
	kind := ""
	if _, is := h.(bridge.BrowserSessions); is {
		kind = " browser"
	}
	l.note("ready%s%s %v %s|%s", kind, named(a.HostID), shown(a.Targets), a.Version.Product, a.Version.UserAgent)
	return l, nil
}

// show writes down a Target: id, title, URL, opener, and its type if it has one.
func show(t targets.Info) string {
	return "{" + strings.Join([]string{t.ID, t.Title, t.URL, t.OpenerID}, " ") + strings.TrimRight(" "+t.Type, " ") + "}"
}

func shown(list []targets.Info) (s []string) {
	for _, t := range list {
		s = append(s, show(t))
	}
	return s
}

func named(hostID string) string {
	if hostID == "" {
		return ""
	}
	return " as " + hostID
}

func (l *ledger) Reannounced(a bridge.Announcement) {
	l.note("ready again%s %v %s|%s", named(a.HostID), shown(a.Targets), a.Version.Product, a.Version.UserAgent)
}

func (l *ledger) TargetCreated(t targets.Info) bool {
	l.note("created %s", show(t))
	return true
}

func (l *ledger) TargetChanged(t targets.Info) { l.note("changed %s", show(t)) }
func (l *ledger) TargetGone(id string)         { l.note("gone %s", id) }
func (l *ledger) PutScript(key, source string) bool {
	l.note("script %s %s", key, source)
	return key != "taken"
}

func (l *ledger) DownloadBegins(d bridge.Download) bool {
	l.note("download %v", d)
	return d.GUID == "G"
}

func (l *ledger) DownloadPart(guid string, part []byte) bool {
	l.note("part %s %s", guid, part)
	return true
}

func (l *ledger) DownloadEnds(guid string, total int64) { l.note("download ends %s %d", guid, total) }

func (l *ledger) DownloadFinished(session string, d bridge.Finished) bool {
	l.note("download of a browser %s %s", session, d.GUID)
	return false
}

func (l *ledger) Fail(session string, why *bridge.Error) {
	l.note("fails %s: %s", session, why.Message)
}

func (l *ledger) HostGone(mayReturn bool) {
	if mayReturn {
		l.note("host lost")
	} else {
		l.note("host gone")
	}
}

func (l *ledger) Result(c bridge.CallID, session string, result, cdpErr []byte) {
	l.note("result %d %s %s%s", c, session, result, cdpErr)
}

func (l *ledger) Event(id, method string, params []byte) {
	l.note("event %s %s %s", id, method, params)
}

func (l *ledger) SessionEvent(id, method string, params []byte) {
	l.note("session event %s %s %s", id, method, params)
}

func (l *ledger) SessionsEvent(ids []string, method string, params []byte) {
	l.note("event of %q %s %s", ids, method, params)
}

func (l *ledger) Opened(n bridge.Nested) bool {
	l.note("opened %s in %s on %s %s", n.SessionID, n.Parent, n.TargetID, n.Type)
	return n.TargetID != "REFUSED"
}

func (l *ledger) Closed(id string) { l.note("closed %s", id) }

// page is a Page and the far end of its connection.
type page struct {
	t      *testing.T
	hub    *ledger
	far    *wsconn.Conn
	frames chan string        // read by the far end
	ended  chan wsconn.Reason // of the far end
	budget *wsconn.Budget     // of the connection
}

func connect(t *testing.T) *page {
	t.Helper()
	return connectWith(t, wsconn.Options{Limits: Limits()})
}

// connectWith connects a Host whose connection has these limits.
func connectWith(t *testing.T, o wsconn.Options) *page {
	t.Helper()
	p := &page{
		t: t, hub: &ledger{lines: make(chan string, 100)},
		frames: make(chan string, 100), ended: make(chan wsconn.Reason, 1), budget: wsconn.NewBudget(1 << 30),
	}
	o.Budget = p.budget
	served := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := wsconn.Upgrade(w, r, o)
		if err != nil {
			t.Error(err)
			return
		}
		defer close(served)
		servesPage(context.Background(), t, c, p.hub)
	}))
	t.Cleanup(s.Close)
	far, err := wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil, wsconn.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p.far = far
	go func() { p.ended <- far.Serve(context.Background(), func(m []byte) { p.frames <- string(m) }) }()
	t.Cleanup(func() {
		heldtest.WaitsForNothing(t, "the budget of the connection", func() map[string]int { return map[string]int{"bytes": int(p.budget.Used())} })
		far.Close(wsconn.ReasonNormal)
		<-served
	})
	return p
}

// servesPage is ServePage for a Host that must hold nothing once its connection has ended.
func servesPage(ctx context.Context, t *testing.T, c *wsconn.Conn, hub bridge.Hub) wsconn.Reason {
	host := newHost(c, hub, nil)
	defer func() { heldtest.WantsNothing(t, "the Host", held.Of(host)) }()
	return host.serve(ctx)
}

func (p *page) say(message string) { p.far.Deliver(wire.Frame{Body: []byte(message)}) }

// saysOne says one message and takes the line that comes of it; none where the line is "".
func (p *page) saysOne(t *testing.T, message, line string) {
	t.Helper()
	p.say(message)
	p.say(`{"kind":"targetDestroyed","targetId":"end"}`)
	if line != "" {
		want(t, p.hub.lines, line)
	}
	want(t, p.hub.lines, "gone end")
}

// want takes the next lines of a channel and compares them.
func want[T comparable](t *testing.T, from <-chan T, lines ...T) {
	t.Helper()
	for _, line := range lines {
		select {
		case got := <-from:
			if got != line {
				t.Errorf("got  %v\nwant %v", got, line)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nothing came, want %v", line)
		}
	}
}
