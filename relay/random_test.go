package relay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// TestRandomOperations plays random peers and wants, of every command, exactly
// one answer while its Client lives, and the books to agree throughout.
func TestRandomOperations(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for round := range uint64(30) {
		randomRun(t, rand.New(rand.NewPCG(seed, round)))
	}
}

// FuzzR58Operations plays the operations that the input spells, two bytes for
// each.
func FuzzR58Operations(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 6, 0, 8, 0, 5, 0, 8, 1, 3, 0})
	f.Add([]byte{0, 3, 1, 0, 1, 1, 9, 0, 6, 1, 8, 0, 12, 1, 4, 0, 8, 0, 0, 3, 5, 2, 11, 2, 13, 4})
	f.Add([]byte{1, 0, 1, 1, 14, 2, 9, 0, 15, 4, 8, 0, 15, 0, 8, 1, 16, 0, 8, 0, 17, 4, 6, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		w := newWorld(t)
		for ; len(in) > 1; in = in[2:] {
			w.step(int(in[0]), int(in[1]))
		}
		w.finish()
	})
}

func randomRun(t *testing.T, r *rand.Rand) {
	w := newWorld(t)
	for range 300 {
		w.step(r.IntN(256), r.IntN(256))
	}
	w.finish()
}

// operations is how many there are.
const operations = 19

// world is a hub with clients whose commands are counted.
type world struct {
	t       *testing.T
	hub     *Hub
	events  bridge.Events
	browser bridge.Events
	clients []*Client
	boxes   map[*Client]*inbox
	sent    map[*Client]int
	n       int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, hub: newHub(t, Options{}), boxes: map[*Client]*inbox{}, sent: map[*Client]int{}}
}

func (w *world) send(c *Client, format string, args ...any) {
	w.n++
	w.sent[c]++
	c.Receive(fmt.Appendf(nil, `{"id":%d,%s}`, w.n, fmt.Sprintf(format, args...)))
}

func (w *world) step(op, arg int) {
	target := fmt.Sprintf("T%d", arg%4)
	switch op % operations {
	case 0:
		id := ""
		if arg%3 == 0 {
			id = "H"
		}
		w.events, _ = w.hub.SetHost(&mute{}, bridge.Announcement{HostID: id, Targets: list(arg % 4)})
	case 1:
		if len(w.clients) < 5 {
			p := &inbox{}
			c := join(w.t, w.hub, p)
			w.clients, w.boxes[c] = append(w.clients, c), p
		}
	default:
		w.withHostOrClient(op, arg, target)
	}
	if err := w.hub.check(); err != nil {
		w.t.Fatalf("after operation %d(%d): %v", op%operations, arg, err)
	}
}

func (w *world) withHostOrClient(op, arg int, target string) {
	w.withBrowser(op, arg, target)
	if w.events != nil {
		switch op % operations {
		case 2:
			w.events.TargetCreated(targets.Info{ID: target})
		case 3:
			w.events.TargetGone(target)
		case 4:
			if arg%8 == 0 {
				w.events.HostGone(arg%16 == 0)
			}
		case 5:
			w.answerOne(arg)
		case 11:
			w.events.Reannounced(bridge.Announcement{Targets: list(arg % 4)})
		case 12:
			w.events.Event(target, "A.event", []byte(`{}`))
			if len(w.clients) > 0 {
				one, other := w.clients[arg%len(w.clients)], w.clients[arg/2%len(w.clients)]
				w.events.SessionEvent(onlySession(one), "A.event", []byte(`{}`))
				w.events.SessionsEvent([]string{onlySession(one), onlySession(other), "none"}, "A.event", []byte(`{}`))
			}
		}
	}
	if len(w.clients) == 0 {
		return
	}
	c := w.clients[arg%len(w.clients)]
	switch op % operations {
	case 6:
		w.send(c, `"method":"Target.attachToTarget","params":{"targetId":%q}`, target)
	case 7:
		w.send(c, `"method":"Target.detachFromTarget","params":{"sessionId":%q}`, onlySession(c))
	case 8:
		w.send(c, `"method":"Page.enable","sessionId":%q`, onlySession(c))
	case 9:
		w.send(c, `"method":"Target.setAutoAttach","params":{"autoAttach":%v}`, arg%2 == 0)
	case 18: // discover, attach to the browser, or attach to all of a kind, in a session
		w.send(c, `%s,"sessionId":%q`, []string{discovers, onBrowser, autoPages, autoTabs, autoNone}[arg%5], onlySession(c))
	case 13:
		w.send(c, `"method":%s`, []string{`5`, `"X.y"`, `"Target.getTargets"`, `"Target.attachToBrowserTarget"`, `"A.b","method":"A.b"`}[arg%5])
	case 10:
		if arg%8 == 0 {
			c.Leave()
			w.clients = remove(w.clients, c)
			delete(w.boxes, c)
		}
	}
}

// withBrowser has a browser come, mint sessions, end them, and go.
func (w *world) withBrowser(op, arg int, target string) {
	if op%operations == 14 {
		w.browser, _ = w.hub.SetHost(&browserKeeper{}, bridge.Announcement{Targets: list(arg % 3)})
	}
	if w.browser == nil || len(w.clients) == 0 {
		return
	}
	c := w.clients[arg%len(w.clients)]
	switch op % operations {
	case 15:
		inside := []string{"none"}
		for s := range c.sessions {
			inside = append(inside, s.ID)
		}
		if root := rootOf(c); root != nil {
			inside = append(inside, root.ID)
		}
		w.n++
		w.browser.Opened(bridge.Nested{
			Parent: inside[arg/4%len(inside)], SessionID: fmt.Sprint("B", w.n), TargetID: target, Type: []string{"page", "browser"}[arg%2],
		})
	case 16:
		w.browser.Closed(onlySession(c))
		if root := rootOf(c); root != nil && arg%8 == 0 {
			w.browser.Closed(root.ID)
		}
	case 17:
		if arg%4 == 0 {
			w.browser.HostGone(true)
		}
	}
}

func remove(list []*Client, c *Client) []*Client {
	var rest []*Client
	for _, x := range list {
		if x != c {
			rest = append(rest, x)
		}
	}
	return rest
}

// answerOne answers some command that the hub has in flight, or one that it
// has not.
func (w *world) answerOne(arg int) {
	if waiting := slices.Sorted(maps.Keys(w.hub.calls.byNumber)); len(waiting) > 0 {
		n := waiting[arg%len(waiting)]
		c := w.hub.calls.get(n)
		from := w.events
		if c.side == w.hub.sides.browser() {
			from = w.browser
		}
		from.Result(n, c.sessionID(), []byte(`{}`), nil)
	}
	w.events.Result(bridge.CallID(arg), "", []byte(`{}`), nil)
}

// finish ends the Host, so that nothing may be left without an answer.
func (w *world) finish() {
	if w.events != nil {
		w.events.HostGone(false)
	}
	if w.browser != nil {
		w.browser.HostGone(false)
	}
	if err := w.hub.check(); err != nil {
		w.t.Fatal(err)
	}
	for c, p := range w.boxes {
		answers := map[string]int{}
		for _, m := range p.got {
			if strings.HasPrefix(m, `{"id":`) {
				id, _, _ := strings.Cut(m[6:], ",")
				answers[id]++
			}
		}
		for id, n := range answers {
			if n != 1 {
				w.t.Fatalf("command %s got %d answers", id, n)
			}
		}
		if len(answers) != w.sent[c] {
			w.t.Fatalf("%d commands sent, %d answered", w.sent[c], len(answers))
		}
	}
}
