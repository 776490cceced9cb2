package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// side is one program under measurement with the Host and the Client that
// the generator plays for it.
type side struct {
	ctx          context.Context
	child        *child
	host, client *wsconn.Conn
	loop         atomic.Pointer[loop] // of the load under way; nil before the first
	others       []*side              // more Clients of the same program, for the same load
}

// toClient takes a message to the Client.
func (s *side) toClient(_ *wsconn.Conn, message []byte) {
	if l := s.loop.Load(); l != nil {
		l.receive(message)
	}
}

// run puts a load on the side; see loop.run.
func (s *side) run(l *loop, burst, count int, longest time.Duration) (int, error) {
	s.loop.Store(l)
	for _, o := range s.others {
		o.loop.Store(l)
	}
	return l.run(s.ctx, burst, count, longest)
}

// join connects one more Client.
func (s *side) join(url string) (*side, error) {
	o := &side{ctx: s.ctx, child: s.child}
	var err error
	if o.client, err = connect(s.ctx, url, o.toClient); err != nil {
		return nil, err
	}
	s.others = append(s.others, o)
	return o, nil
}

// perform is run for a number of operations, however long they take.
func (s *side) perform(l *loop, burst, count int) error {
	_, err := s.run(l, burst, count, math.MaxInt64)
	return err
}

// openHub connects to the hub, as a Host with Targets "T0", "T1" and so on
// that answers each command with result, and as one Client. The Host knows these
// extensions of the bridge.
func openHub(ctx context.Context, c *child, targets int, result []byte, features ...string) (*side, error) {
	s := &side{ctx: ctx, child: c}
	var err error
	if s.client, err = connect(ctx, "ws://"+c.clients+"/devtools/browser", s.toClient); err != nil {
		return nil, err
	}
	answer := answering(result)
	if s.host, err = connect(ctx, "ws://"+c.hosts+"/icdp/host", answer); err != nil {
		return nil, err
	}
	// The Client is told of each Target: that is when the hub has them.
	announced := 0
	ready := &loop{
		begin: func() {
			s.client.Deliver(text([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)))
			s.host.Deliver(text(readyMessage(targets, features...)))
		},
		ended: func(m []byte) bool {
			if bytes.Contains(m, []byte(`"Target.targetCreated"`)) {
				announced++
			}
			return announced == targets
		},
	}
	if err := s.perform(ready, 1, 1); err != nil {
		return nil, fmt.Errorf("announce %d targets: %w", targets, err)
	}
	quiet := &loop{
		begin: func() {
			s.client.Deliver(text([]byte(`{"id":2,"method":"Target.setDiscoverTargets","params":{"discover":false}}`)))
		},
		ended: func(m []byte) bool { return bytes.HasPrefix(m, []byte(`{"id":2,`)) },
	}
	return s, s.perform(quiet, 1, 1)
}

// readyMessage announces Targets.
func readyMessage(targets int, features ...string) []byte {
	b := []byte(`{"kind":"ready","v":1,"targets":[`)
	for i := range targets {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"targetId":"T%d","title":"Invoice %d","url":"https://app.example/invoices/%d"}`, i, i, i)
	}
	b = append(b, ']')
	if len(features) > 0 {
		b = fmt.Appendf(b, `,"features":["%s"]`, strings.Join(features, `","`))
	}
	return append(b, '}')
}

// answering is a Host that answers each command with the same result:
//
//	{"kind":"command","sessionId":"S","targetId":"T0","id":7,"method":…
//	{"kind":"response","sessionId":"S","id":7,"result":{…}}
func answering(result []byte) func(*wsconn.Conn, []byte) {
	head := []byte(`{"kind":"response"`)
	return func(host *wsconn.Conn, m []byte) {
		rest, is := bytes.CutPrefix(m, []byte(`{"kind":"command"`))
		if !is {
			return
		}
		session, rest, _ := bytes.Cut(rest, []byte(`,"targetId":`))
		_, rest, _ = bytes.Cut(rest, []byte(`,"id":`))
		id, _, _ := bytes.Cut(rest, []byte(`,`))
		// head is used again: Deliver copies it, and a connection handles one message
		// at a time.
		head = append(append(head[:len(`{"kind":"response"`)], session...), `,"id":`...)
		head = append(append(head, id...), `,"result":`...)
		host.Deliver(wire.Frame{Head: head, Body: result, Tail: wire.End})
	}
}

// attach attaches the Client to a Target, times over, and returns the ids of
// its sessions, sorted.
func (s *side) attach(times int, target func(i int) int) ([]string, error) {
	ids := make([]string, 0, times)
	next := 0
	l := &loop{
		begin: func() {
			i := next
			next++ // before the answer can begin another
			s.client.Deliver(text(attachMessage(target(i))))
		},
		ended: func(m []byte) bool {
			id, is := sessionOf(m)
			if is {
				ids = append(ids, string(id))
			}
			return is
		},
	}
	if err := s.perform(l, 1, times); err != nil {
		return nil, fmt.Errorf("attach %d sessions: %w", times, err)
	}
	slices.Sort(ids)
	return ids, nil
}

func attachMessage(target int) []byte {
	return fmt.Appendf(nil, `{"id":3,"method":"Target.attachToTarget","params":{"targetId":"T%d","flatten":true}}`, target)
}

// sessionOf is the session in an answer to attachToTarget; ok is false when
// the message is something else.
func sessionOf(m []byte) (id []byte, ok bool) {
	_, rest, found := bytes.Cut(m, []byte(`"result":{"sessionId":"`))
	id, _, closed := bytes.Cut(rest, []byte(`"`))
	return id, found && closed
}

// openSplice connects to the splice. The Host answers each frame with answer,
// unless that is nil; each of its frames reaches the Client copies times.
func openSplice(ctx context.Context, c *child, copies int, client url.Values, answer []byte) (*side, error) {
	s := &side{ctx: ctx, child: c}
	var err error
	if s.client, err = connect(ctx, "ws://"+c.clients+"/client?"+client.Encode(), s.toClient); err != nil {
		return nil, err
	}
	s.host, err = connect(ctx, "ws://"+c.hosts+"/host?copies="+strconv.Itoa(copies), func(host *wsconn.Conn, _ []byte) {
		if answer != nil {
			host.Deliver(text(answer))
		}
	})
	return s, err
}
