package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// benchCase is a load on the hub and, in frames of the same number and size, on the
// splice.
type benchCase struct {
	name  string
	burst int // operations that begin together
	open  func(tb testing.TB, hub *child) (*side, *load, mirror)
}

// mirror is the load on the splice.
type mirror struct {
	splice splice
	answer []byte // of the Host
	load   func(s *side) *load
}

// many is how many Targets and sessions a hub with many has.
const many = 5000

func cases() []benchCase {
	return []benchCase{
		roundTrip("round trip, one at a time, 100 B", 1, 1, nodes(100)),
		roundTrip("round trip, bursts of 64, 100 B", 1, 64, nodes(100)),
		roundTrip("round trip, bursts of 64, 4 KiB of nodes", 1, 64, nodes(4<<10)),
		roundTrip("round trip, bursts of 64, 4 KiB in one string", 1, 64, oneString(4<<10)),
		roundTrip("round trip of 8 Clients, bursts of 64, 4 KiB in one string", 8, 64, oneString(4<<10)),
		roundTrip("round trip, bursts of 8, 256 KiB of nodes", 1, 8, nodes(256<<10)),
		fanOut("event to 1 session", 1, false),
		fanOut("event to 1000 sessions", 1000, false),
		fanOut("event of an agent to 100 sessions", 100, true),
		{fmt.Sprintf("getTargets, %d Targets, %d sessions", many, many), 4, openListing},
		{"getTargets, the same, after a change each time", 1, openChangedListing},
		{"attach and detach, bursts of 16", 16, openAttachDetach},
	}
}

// nodes is a JSON object of the given size, of the kind that DOM and Accessibility answer
// with: many small members. No list is longer than a command's may be (internal/scope/bounds.txt).
func nodes(size int) []byte {
	b := []byte(`{"nodes":[[`)
	for i := 0; ; i++ {
		node := fmt.Sprintf(`{"nodeId":%d,"nodeName":"DIV","attributes":["class","row even"],"childNodeCount":%d},`, i, i%7)
		if i%500 == 499 {
			node = strings.TrimSuffix(node, ",") + "],["
		}
		if len(b)+len(node) > size-len(`{}]],"rest":""}`) {
			break
		}
		b = append(b, node...)
	}
	return pad(append(b, `{}]],"rest":"`...), size)
}

// oneString is a JSON object of the given size with one long string, as a screenshot is.
func oneString(size int) []byte { return pad([]byte(`{"data":"`), size) }

// pad fills an object up, inside its last string.
func pad(b []byte, size int) []byte {
	n := max(0, size-len(b)-len(`"}`))
	return append(append(b, bytes.Repeat([]byte("iVBORw0KGgo8"), n/12+1)[:n]...), `"}`...)
}

func always(*wsconn.Conn, []byte) bool { return true }

// countTo is a load's ended: each operation has so many messages.
func countTo(messages int) func(*wsconn.Conn, []byte) bool {
	got := 0
	return func(*wsconn.Conn, []byte) bool { got++; return got%messages == 0 }
}

// roundTrip is a command from a Client to the Host and its answer, each with the payload.
// The Clients send in turn.
func roundTrip(name string, clients, burst int, payload []byte) benchCase {
	return benchCase{name, burst, func(tb testing.TB, hub *child) (*side, *load, mirror) {
		tb.Helper()
		s := openHub(tb, hub, "", clients, 1, payload)
		commands := make([][]byte, clients)
		for i, client := range s.clients {
			commands[i] = fmt.Appendf(nil, `{"id":100,"method":"Runtime.callFunctionOn","params":%s,"sessionId":"%s"}`, payload, s.attach(client, 1, 1)[0])
		}
		answer := fmt.Appendf(nil, `{"id":100,"result":%s,"sessionId":"%032d"}`, payload, 0)
		var refused sync.Once
		answered := func(_ *wsconn.Conn, m []byte) bool {
			if bytes.HasPrefix(m, []byte(`{"id":100,"error":`)) { // which takes less time than the Host's answer
				refused.Do(func() { tb.Errorf("a command was refused: %.200s", m) })
			}
			return true
		}
		sendInTurn := func(s *side) *load {
			var sent atomic.Int64
			return &load{func() {
				i := int(sent.Add(1)) % clients
				send(s.clients[i], commands[i])
			}, answered}
		}
		return s, sendInTurn(s), mirror{splice{Clients: clients, Copies: 1}, answer, sendInTurn}
	}}
}

// fanOut is one event of the Host to all sessions of a Target, which one Client holds. An
// agent names the sessions, as a Frame Agent does those that have enabled a domain.
func fanOut(name string, sessions int, named bool) benchCase {
	return benchCase{name, max(1, min(64, 10000/sessions)), func(tb testing.TB, hub *child) (*side, *load, mirror) {
		tb.Helper()
		var features []string
		if named {
			features = []string{"sessions", "sessionIds"}
		}
		s := openHub(tb, hub, "", 1, 1, nil, features...)
		ids := s.attach(s.clients[0], sessions, 1)
		params := nodes(200)
		event := fmt.Appendf(nil, `{"kind":"event","targetId":"T0","method":"Network.dataReceived","params":%s}`, params)
		if named {
			event = fmt.Appendf(bytes.TrimSuffix(event, []byte("}")), `,"sessionIds":["%s"]}`, strings.Join(ids, `","`))
		}
		copied := fmt.Appendf(nil, `{"method":"Network.dataReceived","params":%s,"sessionId":"%s"}`, params, ids[0])
		return s, &load{func() { send(s.host, event) }, countTo(sessions)},
			mirror{splice{Clients: 1, Copies: sessions}, nil, func(s *side) *load {
				return &load{func() { send(s.host, copied) }, countTo(sessions)}
			}}
	}}
}

var listMessage = []byte(`{"id":4,"method":"Target.getTargets"}`)

// openListing asks for all Targets, to each of which the Client has a session. Nothing
// changes in between, so that the hub may keep its answer.
func openListing(tb testing.TB, hub *child) (*side, *load, mirror) {
	tb.Helper()
	s := openHub(tb, hub, "", 1, many, nil)
	s.attach(s.clients[0], many, many)
	size := 0
	s.ask(listMessage, func(m []byte) bool { size = len(m); return true })
	list := func(s *side) *load { return &load{func() { send(s.clients[0], listMessage) }, always} }
	return s, list(s), mirror{splice{Clients: 1, Copies: 1, Answers: []int{size}}, nil, list}
}

// openChangedListing is openListing each time that the Client has been told of a change,
// so that no answer can be the one before.
func openChangedListing(tb testing.TB, hub *child) (*side, *load, mirror) {
	tb.Helper()
	s, _, m := openListing(tb, hub)
	s.ask([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`), func(m []byte) bool {
		return bytes.HasPrefix(m, []byte(`{"id":1,`))
	})
	size := m.splice.Answers[0]
	follow := func(s *side, change func() []byte) *load {
		return &load{func() { send(s.host, change()) }, func(client *wsconn.Conn, m []byte) bool {
			if len(m) >= size/2 {
				return true
			}
			send(client, listMessage)
			return false
		}}
	}
	number := 0
	m.load = func(s *side) *load {
		told := pad([]byte(`{"method":"Target.targetInfoChanged","params":"`), 300)
		return follow(s, func() []byte { return told })
	}
	return s, follow(s, func() []byte {
		number++
		return fmt.Appendf(nil, `{"kind":"targetInfoChanged","target":{"targetId":"T0","title":"Invoice %09d","url":"https://app.example/invoices/0"}}`, number)
	}), m
}

// openAttachDetach begins a session and ends it. For the splice these are two frames,
// each answered at once by two frames, as large as those of the hub are on average: the
// event and the answer to attachToTarget, then to detachFromTarget. One of the two goes on
// to the Host, as the hub tells the Host that the session is over.
func openAttachDetach(tb testing.TB, hub *child) (*side, *load, mirror) {
	tb.Helper()
	s := openHub(tb, hub, "", 1, 1, nil)
	var sizes []int
	begin := func(s *side) func() { return func() { send(s.clients[0], attachMessage(0)) } }
	l := &load{begin(s), func(client *wsconn.Conn, m []byte) bool {
		if len(sizes) < 4 {
			sizes = append(sizes, len(m))
		}
		if id, is := sessionOf(m); is {
			send(client, detachMessage(id))
		}
		return bytes.HasSuffix(m, []byte(`"result":{}}`))
	}}
	s.burst(l, 1)
	if len(sizes) != 4 {
		tb.Fatalf("%d messages to attach and detach, not 4", len(sizes))
	}
	answers := []int{(sizes[0] + sizes[2]) / 2, (sizes[1] + sizes[3]) / 2}
	return s, l, mirror{splice{Clients: 1, Copies: 1, Answers: answers, Tell: 2}, nil, func(s *side) *load {
		// Its messages have no content: they are counted.
		got := 0
		return &load{begin(s), func(client *wsconn.Conn, _ []byte) bool {
			if got++; got%4 == 2 {
				send(client, detachMessage("0123456789ABCDEF0123456789ABCDEF"))
			}
			return got%4 == 0
		}}
	}}
}

func detachMessage(session string) []byte {
	return fmt.Appendf(nil, `{"id":5,"method":"Target.detachFromTarget","params":{"sessionId":"%s"}}`, session)
}

// median is the middle of the values, and of an even number the mean of both in the
// middle.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
