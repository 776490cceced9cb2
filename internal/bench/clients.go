package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// ofClients is roundTrip for several Clients, each with a session of its own. They
// send in turn.
func ofClients(name string, clients, burst int, payload []byte) benchCase {
	open := func(ctx context.Context, p pair) (hub, splice load, err error) {
		h, err := openHub(ctx, p.hub, 1, payload)
		if err != nil {
			return hub, splice, err
		}
		answer := fmt.Appendf(nil, `{"id":100,"result":%s,"sessionId":"%032d"}`, payload, 0)
		s, err := openSplice(ctx, p.splice, 1, place(0, clients), answer)
		if err != nil {
			return hub, splice, err
		}
		for i := 1; i < clients; i++ {
			if _, err := h.join("ws://" + p.hub.clients + "/devtools/browser"); err != nil {
				return hub, splice, err
			}
			if _, err := s.join("ws://" + p.splice.clients + "/client?" + place(i, clients).Encode()); err != nil {
				return hub, splice, err
			}
		}
		var commands [][]byte
		for _, o := range append([]*side{h}, h.others...) {
			sessions, err := o.attach(1, func(int) int { return 0 })
			if err != nil {
				return hub, splice, err
			}
			commands = append(commands, fmt.Appendf(nil, `{"id":100,"method":"Runtime.callFunctionOn","params":%s,"sessionId":"%s"}`, payload, sessions[0]))
		}
		return load{h, inTurn(h, commands)}, load{s, inTurn(s, commands)}, nil
	}
	return benchCase{name, len(payload), burst, open}
}

// place is what a Client of the splice says of itself.
func place(i, of int) url.Values {
	return url.Values{"place": {strconv.Itoa(i)}, "of": {strconv.Itoa(of)}}
}

// inTurn sends the command of each Client in turn.
func inTurn(s *side, commands [][]byte) *loop {
	conns := []*wsconn.Conn{s.client}
	for _, o := range s.others {
		conns = append(conns, o.client)
	}
	var sent atomic.Int64
	return &loop{
		begin: func() {
			i := int(sent.Add(1)) % len(conns)
			conns[i].Deliver(text(commands[i]))
		},
		ended: func([]byte) bool { return true },
	}
}
