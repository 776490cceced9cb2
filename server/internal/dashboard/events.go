package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/server/internal/front"
)

// The times of the stream of the dashboard: how often it looks for changes, and how
// often it writes.
const (
	lookEvery    = 200 * time.Millisecond // at what runs
	countsEvery  = time.Second            // between two events for counters alone
	titlesEvery  = 500 * time.Millisecond // browsers are asked for new titles
	commentEvery = 15 * time.Second       // between two signs of life
	writeTimeout = 10 * time.Second       // until an asker that reads nothing has gone
)

// restShare says how long a stream rests: this many times as long as a look takes, or longer.
const restShare = 20

// serveEvents streams the state as server-sent events (HTML Standard, "server-sent
// events"): whole, at once and after each change. It looks for changes in place of
// being notified of them: most changes come in bursts, and without an asker there is
// no work. Each event is {"event":"state"} with the JSON of uiwire.State as its data, but for
// {"event":"ended"}, the last one of a guest whose handoff has ended.
func (d *Dashboard) serveEvents(w http.ResponseWriter, r *http.Request) {
	at := front.RouteOf(r)
	if !front.OnlyReads(w, r) || d.o.Sandboxes.Refuses(w, at.Hub) {
		return
	}
	left, ok := d.streams.TakeOr(w, r, d.o.Gate.Address(r))
	if !ok {
		return
	}
	defer left()
	// An event stream ends with its token, its sandbox, its asker and the server,
	// whatever comes first.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer d.o.Gate.Hold(auth.PassOf(r), func(error) { cancel() })()
	defer d.o.Sandboxes.Join(at.Hub, cancel)()
	w.Header().Set("Content-Type", "text/event-stream")
	// nginx would keep events back until its buffer is full (ngx_http_proxy_module,
	// proxy_buffering).
	w.Header().Set("X-Accel-Buffering", "no") // of a proxy before the hub
	go d.keepTitles(ctx, r)
	stream := stateStream{dashboard: d, w: w, r: r}
	for stream.step(time.Now()) {
		select {
		case <-ctx.Done():
			return
		case <-d.o.Ending:
			return
		case <-time.After(max(lookEvery, restShare*stream.took)):
		}
	}
}

// keepTitles has browsers asked for new titles until the stream ends. It runs beside
// the stream, since a browser that hangs would hold the stream up.
func (d *Dashboard) keepTitles(ctx context.Context, r *http.Request) {
	titles := time.NewTicker(titlesEvery)
	defer titles.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-titles.C: // one is left out while some browser has not answered yet
			d.refreshTitles(ctx, d.o.HubsFor(r))
		}
	}
}

// refreshTitles asks browsers for new titles. Chromium does not send
// Target.targetInfoChanged for each of them, see bridge.Refresher.
func (d *Dashboard) refreshTitles(ctx context.Context, hubs []front.NamedHub) {
	for _, h := range hubs {
		hub, release := d.o.Hubs.Peek(h.Name)
		hub.Refresh(ctx)
		release()
	}
}

// stateStream is one stream of states. One goroutine uses it.
type stateStream struct {
	dashboard *Dashboard
	w         http.ResponseWriter
	r         *http.Request

	last, lastCounts []byte // what was sent, without and with counters
	sent, spoke      time.Time
	took             time.Duration // the last look
}

// step sends the state if it has changed, and reports whether the asker is still
// there. After commentEvery without an event it sends a comment line, since proxies cut
// connections that are silent (HTML Standard, "server-sent events", authoring notes).
func (u *stateStream) step(now time.Time) bool {
	if !u.dashboard.guestStays(u.r) {
		_, _ = u.w.Write([]byte("event: ended\ndata:\n\n")) // the page need not come back to hear it
		return false
	}
	message := u.news(now)
	u.took = time.Since(now)
	switch {
	case message != nil:
	case now.Sub(u.spoke) >= commentEvery:
		message = []byte(": still here\n\n")
	default:
		return true
	}
	u.spoke = now
	control := http.NewResponseController(u.w)
	_ = control.SetWriteDeadline(now.Add(writeTimeout)) // a writer without deadlines has none
	if _, err := u.w.Write(message); err != nil {
		return false
	}
	return control.Flush() == nil
}

// news is the event to send. It is nil while nothing has changed, and while only
// counters have changed and the last event is less than countsEvery old.
func (u *stateStream) news(now time.Time) []byte {
	state := u.dashboard.state(u.r)
	at := state.Now
	// The time is no news.
	state.Now = 0
	counts := mustJSON(state)
	if bytes.Equal(counts, u.lastCounts) {
		return nil
	}
	bare := mustJSON(withoutCounters(state))
	if bytes.Equal(bare, u.last) && now.Sub(u.sent) < countsEvery {
		return nil
	}
	u.last, u.lastCounts, u.sent = bare, counts, now
	state.Now = at
	return append(append([]byte("event: state\ndata: "), mustJSON(state)...), "\n\n"...)
}

// withoutCounters is a state without its counters. It clones the lists before it changes
// them: the state is compared and sent afterwards.
func withoutCounters(u uiwire.State) uiwire.State {
	u.Hubs = slices.Clone(u.Hubs)
	for i := range u.Hubs {
		u.Hubs[i].Counters = uiwire.Counters{}
		u.Hubs[i].Named = slices.Clone(u.Hubs[i].Named)
		for n := range u.Hubs[i].Named {
			u.Hubs[i].Named[n].Kept = 0
		}
	}
	u.Nodes = slices.Clone(u.Nodes)
	for i := range u.Nodes {
		u.Nodes[i].Hubs = 0
	}
	return u
}

// mustJSON encodes what this package has made itself.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil { // of texts and numbers alone
		panic(err)
	}
	return text
}
