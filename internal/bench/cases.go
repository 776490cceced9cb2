package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// benchCase is one row of the table: the same load on the hub and, in frames
// of the same number and size, on the splice.
type benchCase struct {
	name  string
	bytes int // of the payload
	burst int // operations that begin together
	open  func(ctx context.Context, p pair) (hub, splice load, err error)
}

// pair is the two programs of one case.
type pair struct {
	hub, splice *child
}

// load is one side and what to do to it.
type load struct {
	on   *side
	what *loop
}

// run runs the load for some time and returns how many operations have ended.
func (l load) run(burst int, longest time.Duration) (int, error) {
	return l.on.run(l.what, burst, math.MaxInt, longest)
}

// The budgets: how many times the CPU time of the splice the hub may take.
const (
	budgetLarge = 1.5 // where the payload is at least large
	budgetSmall = 3.0
	large       = 4 << 10
)

func (c benchCase) budget() float64 {
	if c.bytes >= large {
		return budgetLarge
	}
	return budgetSmall
}

// Sizes of what is many.
const (
	manySessions = 5000
	manyTargets  = 5000
	eventBytes   = 200 // of the params of an event
)

// Two rows that are also compared with each other.
const (
	eventAlone     = "event to 1 session"
	eventElsewhere = "event to 1 session, with 5000 on another Target"
)

func cases() []benchCase {
	list := []benchCase{
		roundTrip("round trip, one at a time, 100 B", 1, nodes(100)),
		roundTrip("round trip, bursts of 64, 100 B", 64, nodes(100)),
		roundTrip("round trip, bursts of 64, 4 KiB of nodes", 64, nodes(4<<10)),
		roundTrip("round trip, bursts of 64, 4 KiB in one string", 64, oneString(4<<10)),
		ofClients("round trip of 8 Clients, bursts of 64, 4 KiB in one string", 8, 64, oneString(4<<10)),
		roundTrip("round trip, bursts of 8, 256 KiB of nodes", 8, nodes(256<<10)),
		roundTrip("round trip, bursts of 8, 256 KiB in one string", 8, oneString(256<<10)),
	}
	list = append(list, fanOut(eventAlone, 1, 0))
	for _, n := range []int{100, 1000, manySessions} {
		list = append(list, fanOut(fmt.Sprintf("event to %d sessions", n), n, 0))
	}
	for _, n := range []int{1, 100} {
		list = append(list, named(fmt.Sprintf("event of an agent to %d sessions", n), n, n))
	}
	return append(list,
		named("event of an agent to 100 sessions, a message for each", 100, 1),
		fanOut(eventElsewhere, 1, manySessions),
		getTargets(),
		getTargetsChanged(),
		attachDetach(),
	)
}

// nodes is a JSON object of the given size, of the kind that DOM and
// Accessibility answer with: many small members.
func nodes(size int) []byte {
	b := []byte(`{"nodes":[`)
	for i := 0; ; i++ {
		node := fmt.Sprintf(`{"nodeId":%d,"nodeName":"DIV","attributes":["class","row even"],"childNodeCount":%d},`, i, i%7)
		if len(b)+len(node) > size-len(`],"rest":""}`) {
			break
		}
		b = append(b, node...)
	}
	return pad(append(bytes.TrimSuffix(b, []byte(",")), `],"rest":"`...), size)
}

// oneString is a JSON object of the given size with one long string, as a
// screenshot is.
func oneString(size int) []byte { return pad([]byte(`{"data":"`), size) }

// pad fills an object up, inside its last string.
func pad(b []byte, size int) []byte {
	n := max(0, size-len(b)-len(`"}`))
	return append(append(b, bytes.Repeat([]byte("iVBORw0KGgo8"), n/12+1)[:n]...), `"}`...)
}

// roundTrip is a command from the Client to the Host and its answer, each
// with the payload.
func roundTrip(name string, burst int, payload []byte) benchCase {
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		h, err := openHub(ctx, p.hub, 1, payload)
		if err != nil {
			return hub, splice, err
		}
		sessions, err := h.attach(1, func(int) int { return 0 })
		if err != nil {
			return hub, splice, err
		}
		tail := `,"sessionId":"` + sessions[0] + `"}`
		command := fmt.Appendf(nil, `{"id":100,"method":"Runtime.callFunctionOn","params":%s%s`, payload, tail)
		answer := fmt.Appendf(nil, `{"id":100,"result":%s%s`, payload, tail)
		s, err := openSplice(ctx, p.splice, 1, nil, answer)
		if err != nil {
			return hub, splice, err
		}
		send := func(s *side) *loop {
			return &loop{
				begin: func() { s.client.Deliver(text(command)) },
				ended: func([]byte) bool { return true },
			}
		}
		return load{h, send(h)}, load{s, send(s)}, nil
	}
	return benchCase{name, len(payload), burst, open}
}

// named is one event of the Host to sessions that it names, as a Frame Agent
// does for those that have enabled a domain: so many in one message.
func named(name string, sessions, together int) benchCase {
	params := nodes(eventBytes)
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		h, err := openHub(ctx, p.hub, 1, nil, "sessions", "sessionIds")
		if err != nil {
			return hub, splice, err
		}
		ids, err := h.attach(sessions, func(int) int { return 0 })
		if err != nil {
			return hub, splice, err
		}
		s, err := openSplice(ctx, p.splice, sessions, nil, nil)
		if err != nil {
			return hub, splice, err
		}
		send := func(s *side, events ...[]byte) *loop {
			got := 0
			return &loop{
				begin: func() {
					for _, e := range events {
						s.host.Deliver(text(e))
					}
				},
				ended: func([]byte) bool { got++; return got%sessions == 0 },
			}
		}
		var events [][]byte
		for some := range slices.Chunk(ids, together) {
			events = append(events, fmt.Appendf(nil, `{"kind":"event","targetId":"T0","method":"Network.dataReceived","params":%s,"sessionIds":["%s"]}`,
				params, strings.Join(some, `","`)))
		}
		copied := fmt.Appendf(nil, `{"method":"Network.dataReceived","params":%s,"sessionId":"%s"}`, params, ids[0])
		return load{h, send(h, events...)}, load{s, send(s, copied)}, nil
	}
	return benchCase{name, eventBytes, max(1, min(64, 10000/sessions)), open}
}

// fanOut is one event of the Host to all sessions of a Target, which one
// Client holds, as it holds those elsewhere on another Target.
func fanOut(name string, sessions, elsewhere int) benchCase {
	params := nodes(eventBytes)
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		h, err := openHub(ctx, p.hub, 2, nil)
		if err != nil {
			return hub, splice, err
		}
		ids, err := h.attach(sessions, func(int) int { return 0 })
		if err != nil {
			return hub, splice, err
		}
		if elsewhere > 0 {
			if _, err := h.attach(elsewhere, func(int) int { return 1 }); err != nil {
				return hub, splice, err
			}
		}
		s, err := openSplice(ctx, p.splice, sessions, nil, nil)
		if err != nil {
			return hub, splice, err
		}
		send := func(s *side, event []byte) *loop {
			got := 0
			return &loop{
				begin: func() { s.host.Deliver(text(event)) },
				ended: func([]byte) bool { got++; return got%sessions == 0 },
			}
		}
		event := fmt.Appendf(nil, `{"kind":"event","targetId":"T0","method":"Network.dataReceived","params":%s}`, params)
		copied := fmt.Appendf(nil, `{"method":"Network.dataReceived","params":%s,"sessionId":"%s"}`, params, ids[0])
		return load{h, send(h, event)}, load{s, send(s, copied)}, nil
	}
	return benchCase{name, eventBytes, max(1, min(64, 10000/sessions)), open}
}
