package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
)

// attachDetach begins a session and ends it. For the splice these are two frames.
// Each is answered at once by two frames, as large as those of the hub are on
// average. One of the two goes on to the Host, as the hub tells the Host that the
// session is over.
func attachDetach() benchCase {
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		h, err := openHub(ctx, p.hub, 1, nil)
		if err != nil {
			return hub, splice, err
		}
		var sizes []int
		what := attachThenDetach(h, func(m []byte) []byte {
			if len(sizes) < 4 {
				sizes = append(sizes, len(m))
			}
			if id, is := sessionOf(m); is {
				return detachMessage(string(id))
			}
			return nil
		}, func(m []byte) bool { return bytes.HasSuffix(m, []byte(`"result":{}}`)) })
		if err := h.perform(what, 1, 1); err != nil {
			return hub, splice, err
		}
		// The event and the answer to attachToTarget, then to detachFromTarget.
		if len(sizes) != 4 {
			return hub, splice, fmt.Errorf("%d messages to attach and detach, not 4", len(sizes))
		}
		answer := fmt.Sprintf("%d,%d", (sizes[0]+sizes[2])/2, (sizes[1]+sizes[3])/2)
		s, err := openSplice(ctx, p.splice, 1, url.Values{"answer": {answer}, "tell": {"2"}}, nil)
		return load{h, what}, load{s, attachThenDetachBlindly(s)}, err
	}
	return benchCase{"attach and detach, bursts of 16", 0, 16, open}
}

// attachThenDetach attaches, and sends what detach makes of a message until
// ended.
func attachThenDetach(s *side, detach func(m []byte) []byte, ended func(m []byte) bool) *loop {
	attach := attachMessage(0)
	return &loop{
		begin: func() { s.client.Deliver(text(attach)) },
		ended: func(m []byte) bool {
			if d := detach(m); d != nil {
				s.client.Deliver(text(d))
			}
			return ended(m)
		},
	}
}

// attachThenDetachBlindly does the same for the splice, whose messages have no
// content: it counts them. Each attach and each detach is answered by two.
func attachThenDetachBlindly(s *side) *loop {
	got := 0
	canned := detachMessage("0123456789ABCDEF0123456789ABCDEF")
	return attachThenDetach(s, func([]byte) []byte {
		if got++; got%4 == 2 {
			return canned
		}
		return nil
	}, func([]byte) bool { return got%4 == 0 })
}

func detachMessage(session string) []byte {
	return fmt.Appendf(nil, `{"id":5,"method":"Target.detachFromTarget","params":{"sessionId":"%s"}}`, session)
}
