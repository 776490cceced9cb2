package relay

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// documents is a Host whose documents answer signs of life, while they are to.
type documents struct {
	mute
	events bridge.Events

	mu          sync.Mutex
	alive, busy bool
	waiting     []bridge.Command // signs without an answer
}

func (d *documents) AnswerSigns() bool { return true }

func (d *documents) Busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.busy
}

// become changes whether the documents answer, and whether the link is busy.
func (d *documents) become(alive, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive, d.busy = alive, busy
}

// Send implements bridge.Host. The hub has its lock, so that the answer comes later.
func (d *documents) Send(c bridge.Command) error {
	if c.Method == signMethod {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waiting = append(d.waiting, bridge.Command{Call: c.Call, SessionID: c.SessionID})
		if d.alive {
			go d.answer()
		}
	}
	return nil
}

// answer answers the signs that wait.
func (d *documents) answer() {
	d.mu.Lock()
	waiting := d.waiting
	d.waiting = nil
	d.mu.Unlock()
	for _, c := range waiting {
		d.events.Result(c.Call, c.SessionID, []byte(`{}`), nil)
	}
}

// pulseTest has a Client with a session on a document.
func pulseTest(t *testing.T, test func(h *Hub, d *documents, attach func() (c *Client, in *inbox, session string))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h, d := newHub(t, Options{}), &documents{alive: true}
		d.events = setHost(h, d, list(1))
		test(h, d, func() (*Client, *inbox, string) {
			in := &inbox{}
			c := join(t, h, in)
			c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
			return c, in, onlySession(c)
		})
	})
}

// got reports whether a Client has got something with a text.
func got(c *Client, in *inbox, text string) bool {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	return slices.ContainsFunc(in.got, func(m string) bool { return strings.Contains(m, text) })
}

// begin sends a command that the Host never answers, and returns after how long it fails.
func begin(t *testing.T, c *Client, in *inbox, session string, id int) time.Duration {
	t.Helper()
	begun := time.Now()
	c.Receive(fmt.Appendf(nil, `{"id":%d,"method":"A.b","sessionId":%q}`, id, session))
	for !got(c, in, fmt.Sprintf(`"id":%d,`, id)) {
		if time.Since(begun) > time.Minute {
			return time.Minute
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !got(c, in, "The document does not answer") {
		t.Errorf("the command failed without the reason: %s", strings.Join(in.got, "\n"))
	}
	return time.Since(begun)
}

// TestR430SilentDocuments has a document stop answering: a command fails in less than 10 s, and then at
// once, in all sessions and in new ones, also when the session has ended that asked. Once there is
// a sign of life, commands wait again.
func TestR430SilentDocuments(t *testing.T) {
	pulseTest(t, func(h *Hub, d *documents, attach func() (*Client, *inbox, string)) {
		c, in, session := attach()
		if took := begin(t, c, in, session, 2); took != time.Minute {
			t.Errorf("with a document that answers the command failed after %v", took)
		}
		d.become(false, false)
		other, otherIn, otherSession := attach()
		if took := begin(t, other, otherIn, otherSession, 3); took < silentAfter || took >= 10*time.Second {
			t.Errorf("the command failed after %v, want less than 10 s", took)
		}
		if !got(c, in, `"id":2,`) {
			t.Error("the command of another Client is in flight yet")
		}
		if took := begin(t, c, in, session, 4); took != 0 {
			t.Errorf("the next one failed after %v, want at once", took)
		}
		other.Leave()
		late, lateIn, lateSession := attach()
		if took := begin(t, late, lateIn, lateSession, 5); took != 0 {
			t.Errorf("that of a new Client failed after %v, want at once", took)
		}
		begun := time.Now()
		late.Receive(fmt.Appendf(nil, `{"id":6,"method":"Page.navigate","sessionId":%q}`, lateSession))
		for !got(late, lateIn, `"id":6,`) && time.Since(begun) < time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(begun); took < silentAfter || took >= 10*time.Second {
			t.Errorf("a navigation failed after %v", took)
		}
		d.become(true, false)
		d.answer()
		if took := begin(t, late, lateIn, lateSession, 7); took != time.Minute {
			t.Errorf("after a sign of life the command failed after %v", took)
		}
	})
}

// TestR430BusyLinks has a large message be on its way, and a dialog wait for the Clients: nothing
// fails meanwhile.
func TestR430BusyLinks(t *testing.T) {
	for name, set := range map[string]func(h *Hub, d *documents, on bool){
		"a large message": func(_ *Hub, d *documents, on bool) { d.become(false, on) },
		"a dialog": func(h *Hub, _ *documents, on bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.dialogs["T0"].open = nil; on {
				h.dialogs["T0"].open = &openDialog{}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			pulseTest(t, func(h *Hub, d *documents, attach func() (*Client, *inbox, string)) {
				c, in, session := attach()
				d.become(false, false)
				if h.dialogs["T0"] == nil {
					h.dialogs["T0"] = &targetDialogs{}
				}
				set(h, d, true)
				if took := begin(t, c, in, session, 2); took != time.Minute {
					t.Errorf("the command failed after %v", took)
				}
				set(h, d, false)
				if took := begin(t, c, in, session, 3); took >= 10*time.Second {
					t.Errorf("afterwards it failed after %v, want less than 10 s", took)
				}
			})
		})
	}
}
