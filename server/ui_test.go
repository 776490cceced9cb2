package server

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/relay/quota"
)

// events reads a stream of states until the test ends.
func (s started) uiEvents(t *testing.T, prefix string) <-chan uiwire.State {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr(false)+prefix+"/ui/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if kind := res.Header.Get("Content-Type"); res.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("%d, %s", res.StatusCode, kind)
	}
	states := make(chan uiwire.State, 1000)
	go func() {
		defer res.Body.Close()
		defer close(states)
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			text, is := strings.CutPrefix(lines.Text(), "data: ")
			if !is {
				continue
			}
			var state uiwire.State
			if err := json.Unmarshal([]byte(text), &state); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			states <- state
		}
	}()
	return states
}

// TestDashboardEvents has hubs and targets come, change and go, and counters grow.
func TestDashboardEvents(t *testing.T) {
	t.Parallel()
	s := start(t, shortDrain)
	states := s.uiEvents(t, "")
	until := func(what string, is func(uiwire.State) bool) (at uiwire.State) {
		t.Helper()
		for state := range states {
			if is(state) {
				return state
			}
		}
		t.Fatalf("the stream ended before %s", what)
		return uiwire.State{}
	}
	first := until("the first state", func(uiwire.State) bool { return true })
	if len(first.Hubs) != 1 || first.Hubs[0].HostConnected || !first.You.Control || first.You.Scope != "privileged" {
		t.Errorf("the first state is %+v", first)
	}
	host := s.echo(t, "/hub/b", "B1", "B2")
	state := until("another hub", func(u uiwire.State) bool { return len(u.Hubs) == 2 && len(u.Hubs[1].Targets) == 2 })
	if h := state.Hubs[1]; h.Hub != "b" || h.Path != "/hub/b" || !h.HostConnected || h.Targets[0].TargetID != "B1" || !h.Targets[0].Drawn {
		t.Errorf("the hub is %+v", h)
	}
	host.send(`{"kind":"targetInfoChanged","target":{"targetId":"B1","title":"new","url":"u"}}`)
	until("a title", func(u uiwire.State) bool { return u.Hubs[1].Targets[0].Title == "new" })
	c := s.clientOf(t, "/hub/b")
	tail := c.attachTo("B2")
	until("a driver", func(u uiwire.State) bool { return len(u.Hubs[1].Targets[1].Drivers) == 1 })
	c.send(`{"id":1,"method":"Page.enable"` + tail)
	until("a command", func(u uiwire.State) bool { return u.Hubs[1].Counters.Answered >= 2 })
	host.send(`{"kind":"targetDestroyed","targetId":"B1"}`)
	until("the end of a target", func(u uiwire.State) bool { return len(u.Hubs[1].Targets) == 1 })
	s.stop()
	for range states { // it ends
	}
}

// TestDashboardNoticesPagesThatHang has the script of a page wait until the dashboard has
// seen it, while a Client is there and none enters.
func TestDashboardNoticesPagesThatHang(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Set("Content-Type", "text/html"); r.URL.Path == "/seen" {
			<-seen
		}
	}))
	t.Cleanup(app.Close)
	release := sync.OnceFunc(func() { close(seen) })
	t.Cleanup(release)
	s := start(t, func(o *Options) { o.Browsers, o.Drain = testBrowser(), time.Millisecond })
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err := b.NewPage(t.Context(), app.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	states := s.uiEvents(t, "/hub/chromium")
	evaluate(t, p, `setTimeout(() => { const seen = new XMLHttpRequest(); seen.open("GET", "/seen", false); seen.send(); }); 0`)
	hung := false
	for state := range states {
		for _, u := range state.Hubs[0].Targets {
			if u.TargetID != p.ID || u.Unresponsive == hung {
				continue
			}
			if hung {
				return
			}
			hung = true
			release()
		}
	}
	t.Errorf("the stream ended, and the page was unresponsive: %v", hung)
}

// TestDashboardStreamsAreLimited opens as many as one address may have, and one more.
func TestDashboardStreamsAreLimited(t *testing.T) {
	s := start(t, shortDrain)
	for range quota.Table[quota.EventStreams].Total {
		s.uiEvents(t, "")
	}
	status, why := s.get(t, s.addr(false), "/ui/api/events", nil)
	if status != http.StatusTooManyRequests || !strings.Contains(why, "All 64 streams of the dashboard's state to this address are in use") {
		t.Errorf("one more: %d %s", status, why)
	}
}
