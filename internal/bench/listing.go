package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strconv"
)

var listMessage = []byte(`{"id":4,"method":"Target.getTargets"}`)

// getTargets asks for all Targets, to each of which the Client has a session.
// Nothing changes in between, so that the hub may keep its answer.
func getTargets() benchCase {
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		ask := func(s *side) *loop {
			return &loop{
				begin: func() { s.client.Deliver(text(listMessage)) },
				ended: func([]byte) bool { return true },
			}
		}
		h, s, _, err := openListing(ctx, p)
		if err != nil {
			return hub, splice, err
		}
		return load{h, ask(h)}, load{s, ask(s)}, nil
	}
	name := fmt.Sprintf("getTargets, %d Targets, %d sessions", manyTargets, manySessions)
	return benchCase{name, manyTargets * 100, 4, open}
}

// getTargetsChanged is getTargets each time that the Client has been told of
// a change, so that no answer can be the one before. It is more than is
// asked of a hub in use, and has the same budget.
func getTargetsChanged() benchCase {
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		h, s, size, err := openListing(ctx, p)
		if err != nil {
			return hub, splice, err
		}
		follow := func(s *side, change func() []byte) *loop {
			return &loop{
				begin: func() { s.host.Deliver(text(change())) },
				ended: func(m []byte) bool {
					if len(m) >= size/2 {
						return true
					}
					s.client.Deliver(text(listMessage))
					return false
				},
			}
		}
		number := 0
		onHub := follow(h, func() []byte {
			number++
			return fmt.Appendf(nil, `{"kind":"targetInfoChanged","target":{"targetId":"T0","title":"Invoice %09d","url":"https://app.example/invoices/0"}}`, number)
		})
		discover := &loop{
			begin: func() {
				h.client.Deliver(text([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)))
			},
			ended: func(m []byte) bool { return bytes.HasPrefix(m, []byte(`{"id":1,`)) },
		}
		if err := h.perform(discover, 1, 1); err != nil {
			return hub, splice, err
		}
		change := pad([]byte(`{"method":"Target.targetInfoChanged","params":"`), 300)
		return load{h, onHub}, load{s, follow(s, func() []byte { return change })}, nil
	}
	return benchCase{"getTargets, the same, after a change each time", manyTargets * 100, 1, open}
}

// openListing connects both sides, attaches a Client of the hub to all
// Targets, and has the splice answer with as many bytes as the hub.
func openListing(ctx context.Context, p pair) (hub, splice *side, size int, err error) {
	hub, err = openHub(ctx, p.hub, manyTargets, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	if _, err := hub.attach(manySessions, func(i int) int { return i % manyTargets }); err != nil {
		return nil, nil, 0, err
	}
	ask := &loop{
		begin: func() { hub.client.Deliver(text(listMessage)) },
		ended: func(m []byte) bool { size = len(m); return true },
	}
	if err := hub.perform(ask, 1, 1); err != nil {
		return nil, nil, 0, err
	}
	splice, err = openSplice(ctx, p.splice, 1, url.Values{"answer": {strconv.Itoa(size)}}, nil)
	return hub, splice, size, err
}
