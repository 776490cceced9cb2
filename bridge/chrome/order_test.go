package chrome

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// check recounts what the tables of a Host say of each other.
func (h *Host) check() error {
	attached := 0
	for id, s := range h.sessions {
		switch {
		case s.id != id || s.over:
			return fmt.Errorf("session %s is filed as %s, over %v", s.id, id, s.over)
		case s.upstream != "" && h.upstream[s.upstream] != s:
			return fmt.Errorf("session %s is not found as %s", s.id, s.upstream)
		case s.upstream != "" && s.queue != nil:
			return fmt.Errorf("session %s has attached, and commands wait for it", s.id)
		case s.parent != nil && (s.parent.over || s.client != s.parent.client):
			return fmt.Errorf("session %s outlives the one that it was born in, or is of another Client", s.id)
		}
		if s.parent != nil {
			if _, ok := s.parent.children[s]; !ok {
				return fmt.Errorf("session %s is unknown to the one that it was born in", s.id)
			}
		}
		if s.upstream != "" {
			attached++
		}
		for child := range s.children {
			if h.sessions[child.id] != child {
				return fmt.Errorf("session %s remembers %s, which is over", s.id, child.id)
			}
		}
	}
	if attached != len(h.upstream) {
		return fmt.Errorf("%d sessions have attached, %d are found by the browser's id", attached, len(h.upstream))
	}
	for s := range h.downloads.takers {
		if s.over {
			return fmt.Errorf("session %s is over and takes downloads", s.id)
		}
	}
	for n, a := range h.onAnswers {
		if n >= 0 && a.session.over && !a.always {
			return fmt.Errorf("an answer to %d is waited for by session %s, which is over", n, a.session.id)
		}
	}
	return nil
}

// asked is a conn that remembers what the root has asked for, by method.
type asked struct {
	nothing
	numbers map[string][]string
}

func (c *asked) OfferOwn(_ *lane, f wire.Frame) error {
	m := string(f.AppendTo(nil))
	n, rest, _ := strings.Cut(strings.TrimPrefix(m, `{"id":`), ",")
	method, _, _ := strings.Cut(strings.TrimPrefix(rest, `"method":"`), `"`)
	if strings.HasPrefix(n, "-") {
		c.numbers[method] = append(c.numbers[method], n)
	}
	return nil
}

// next takes the oldest number; "" when there is none.
func (c *asked) next(method string) string {
	list := c.numbers[method]
	if len(list) == 0 {
		return ""
	}
	c.numbers[method] = list[1:]
	return list[0]
}

// FuzzOrder does things in any order: the tables of a Host must agree.
func FuzzOrder(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 1, 2, 0, 4, 0, 4, 1, 5, 0, 3, 0})
	f.Add([]byte{0, 0, 6, 0, 3, 0, 1, 0, 0, 1, 1, 0, 6, 1, 7, 1, 3, 1})
	f.Add([]byte{0, 0, 1, 0, 4, 0, 4, 4, 4, 8, 5, 0, 8, 0, 2, 0, 9, 0, 3, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		c := &asked{numbers: make(map[string][]string)}
		h := newHost(c, &Options{}, nil, nil)
		h.events = quiet{}
		born := 0
		for i := 0; i+1 < len(steps) && i < 400; i += 2 {
			id := fmt.Sprint("s", steps[i+1]%4)
			up := strings.ToUpper(id)
			if n := steps[i+1] / 4 % 8; n > 0 { // one of those born inside
				id = fmt.Sprint("n", n)
				up = id
			}
			say := func(format string, args ...any) { h.receive(fmt.Appendf(nil, format, args...)) }
			switch steps[i] % 10 {
			case 0:
				if h.sessions[id] == nil {
					h.Attached(bridge.Attachment{SessionID: id})
				}
			case 1:
				if n := c.next("Target.attachToBrowserTarget"); n != "" {
					born++
					say(`{"id":%s,"result":{"sessionId":"U%d"}}`, n, born)
				}
			case 2:
				if n := c.next("Target.attachToBrowserTarget"); n != "" {
					say(`{"id":%s,"error":{}}`, n)
				}
			case 3:
				h.Release(id, "")
			case 4:
				if s := h.sessions[id]; s != nil && s.upstream != "" {
					born++
					say(`{"method":"Target.attachedToTarget","params":{"sessionId":"n%d","targetInfo":{"targetId":"T","browserContextId":"C%d"}},"sessionId":%q}`, born%8, steps[i+1]%3, s.upstream)
				}
			case 5:
				say(`{"method":"Target.detachedFromTarget","params":{"sessionId":%q},"sessionId":%q}`, up, up)
			case 6:
				_ = h.Send(bridge.Command{Call: bridge.CallID(i + 1), SessionID: id, Method: "Target.createBrowserContext"})
			case 7:
				say(`{"id":%d,"result":{"browserContextId":"C%d"},"sessionId":%q}`, i-1, steps[i+1]%3, up)
			case 8:
				_ = h.Send(bridge.Command{Call: bridge.CallID(i + 1), SessionID: id, Method: "Browser.setDownloadBehavior", Params: []byte(`{"behavior":"deny"}`)})
			case 9:
				say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"U%d"}}`, steps[i+1])
			}
			if err := h.check(); err != nil {
				t.Fatalf("step %d: %v", i/2, err)
			}
		}
		for _, s := range h.sessions {
			if s.parent == nil {
				h.Release(s.id, "")
			}
		}
		if len(h.sessions)+len(h.upstream)+len(h.downloads.takers) != 0 {
			t.Errorf("left: %d sessions, %d of the browser, %d who take downloads", len(h.sessions), len(h.upstream), len(h.downloads.takers))
		}
	})
}

// quiet takes all events.
type quiet struct{ nothing }

func (quiet) Opened(bridge.Nested) bool { return true }
func (quiet) Closed(string)             {}
