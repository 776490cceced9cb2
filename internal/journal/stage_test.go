package journal

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// stage is a hub with a page, a Client that drives it, and a Journal.
type stage struct {
	t      *testing.T
	j      *Journal
	hub    *relay.Hub
	host   *page
	events bridge.Events
	client *relay.Client
}

// page is a Host that answers each command at once.
type page struct {
	events  bridge.Events
	answers map[string]string // by method; {} for others
	session string

	mu    sync.Mutex // guards got and draws, and answers after the beginning
	got   []string
	draws time.Duration // how long a picture takes

	late string             // a method whose answers wait
	held []func(fails bool) // until then
}

func (p *page) Send(c bridge.Command) error {
	call, session, method := c.Call, c.SessionID, strings.Clone(c.Method)
	p.mu.Lock()
	p.got = append(p.got, method)
	draws := p.draws
	answer, known := p.answers[method]
	p.mu.Unlock()
	if !known {
		answer = "{}"
	}
	if method == p.late && !bytes.Contains(c.Params, []byte("MutationObserver")) { // the script itself answers nothing
		p.held = append(p.held, func(fails bool) {
			if fails {
				p.events.Result(call, session, nil, []byte(`{"code":-32000,"message":"Inspected target navigated or closed"}`))
			} else {
				p.events.Result(call, session, []byte(answer), nil)
			}
			synctest.Wait()
		})
		return nil
	}
	if method != capture {
		draws = 0
	}
	go func() {
		time.Sleep(draws)
		p.events.Result(call, session, []byte(answer), nil)
	}()
	return nil
}

// answersWith sets the answer to a method from now on.
func (p *page) answersWith(method, answer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[method] = answer
}

// drawsFor sets how long a picture takes.
func (p *page) drawsFor(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draws = d
}

// asked counts the commands of a method that it got.
func (p *page) asked(method string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.got {
		if m == method {
			n++
		}
	}
	return n
}

// releaseFirst answers the first command that waits.
func (p *page) releaseFirst() { p.held[0](false) }

// failRest answers the others with an error.
func (p *page) failRest() {
	for _, answer := range p.held[1:] {
		answer(true)
	}
}

func (*page) Release(string, string)         {}
func (*page) Close(bridge.Reason)            {}
func (p *page) Attached(a bridge.Attachment) { p.session = a.SessionID }

// jpeg stands for a picture.
const jpeg = "/9j/4AAQ" // base64

// play runs a test on a stage, with a clock that does not wait.
func play(t *testing.T, o Options, do func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		s := &stage{t: t, j: j, hub: relay.New(relay.Options{Name: "h", Observe: j.Observe}), host: &page{answers: map[string]string{
			"Page.captureScreenshot":   `{"data":"` + jpeg + `"}`,
			"Page.getFrameTree":        `{"frameTree":{"frame":{"id":"F"}}}`,
			"Page.createIsolatedWorld": `{"executionContextId":7}`,
		}}}
		ev, err := s.hub.SetHost(s.host, bridge.Announcement{Targets: []targets.Info{{ID: "T0"}}})
		if err != nil {
			t.Fatal(err)
		}
		s.events, s.host.events = ev, ev
		s.client, _ = s.hub.Join(session.NewEncoder(new(buffer)), nil)
		s.client.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		do(s)
		s.client.Leave()
		ev.HostGone(false)
		synctest.Wait()
		s.pass(2*j.o.Time + time.Minute)
		s.wantsNothingLeft()
	})
}

// wantsNothingLeft wants all memory given back, when all entries are too old.
func (s *stage) wantsNothingLeft() {
	s.t.Helper()
	if s.j.queue.closed { // it sweeps no more
		return
	}
	heldtest.WantsNothing(s.t, "the journal", s.j.Held())
	heldtest.WantsNothing(s.t, "the hub", s.hub.Control().Held())
	left := s.j.o.Quotas.Held()
	maps.DeleteFunc(left, func(what string, _ int) bool { return strings.HasPrefix(what, quota.Table[quota.Recordings].Name) }) // files stay
	heldtest.WantsNothing(s.t, "the ledger", left)
	if s.j.files != nil {
		s.j.Close() // which ends the goroutine that owns them
		heldtest.WantsNothing(s.t, "the recorder", held.Of(s.j.files))
	}
}

// send sends a command and waits until it is answered.
func (s *stage) send(method, params string) {
	s.client.Receive(fmt.Appendf(nil, `{"id":7,"method":%q,"params":%s,"sessionId":%q}`, method, params, s.host.session))
	synctest.Wait()
}

func (s *stage) event(method, params string) {
	s.events.Event("T0", method, []byte(params))
	synctest.Wait()
}

// pass lets time pass.
func (s *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *stage) click(x, y int) {
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		s.send("Input.dispatchMouseEvent", fmt.Sprintf(`{"type":%q,"x":%d,"y":%d,"button":"left","clickCount":1}`, kind, x, y))
	}
}

// keys types a text key by key.
func (s *stage) keys(text string) {
	for _, c := range text {
		s.send("Input.dispatchKeyEvent", fmt.Sprintf(`{"type":"keyDown","key":%q,"text":%q}`, string(c), string(c)))
		s.send("Input.dispatchKeyEvent", fmt.Sprintf(`{"type":"keyUp","key":%q}`, string(c)))
	}
}

// texts are the kinds and texts of all entries but pictures.
func (s *stage) texts() []string {
	var list []string
	for _, e := range s.j.Entries("h", "T0", 0, relay.Watcher{}) {
		if e.Kind != Picture {
			list = append(list, string(e.Kind)+": "+e.Text)
		}
	}
	return list
}

func (s *stage) wants(want ...string) {
	s.t.Helper()
	if got := s.texts(); !slices.Equal(got, want) {
		s.t.Errorf("entries\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
