package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// flood is the program of a process that does nothing but load a hub: a
// Client that sends commands to Target T0 as fast as the hub takes them and,
// with -host, also the Host, which answers them and sends events of Target
// T1, to which nobody listens. It writes a line once it is about to begin, and
// ends when it is killed.
//
//	bench flood -client ws://HOST:PORT/devtools/browser [-host ws://HOST:PORT/icdp/host]
func flood(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench flood", flag.ContinueOnError)
	flags.SetOutput(stderr)
	to := flags.String("client", "", "`URL` to send commands to")
	from := flags.String("host", "", "`URL` to send events to, as a Host")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := &side{ctx: ctx}
	var err error
	if *from != "" {
		if s.host, err = connect(ctx, *from, answering(nodes(100))); err != nil {
			return err
		}
		s.host.Deliver(text(readyMessage(2)))
	}
	if s.client, err = connect(ctx, *to, s.toClient); err != nil {
		return err
	}
	if err := s.awaitTarget("T0"); err != nil {
		return err
	}
	ids, err := s.attach(1, func(int) int { return 0 })
	if err != nil {
		return err
	}
	s.loop.Store(nil)
	fmt.Fprintln(stdout, "flooding")
	if s.host != nil {
		go push(ctx, s.host, []byte(`{"kind":"event","targetId":"T1","method":"Network.dataReceived","params":{"size":1}}`))
	}
	push(ctx, s.client, fmt.Appendf(nil, `{"id":6,"method":"A.b","params":{},"sessionId":%q}`, ids[0]))
	return nil
}

// awaitTarget returns when the hub has told the Client of a Target.
func (s *side) awaitTarget(id string) error {
	wanted := fmt.Appendf(nil, `"targetId":%q`, id)
	discover := &loop{
		begin: func() {
			s.client.Deliver(text([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)))
		},
		ended: func(m []byte) bool { return bytes.Contains(m, wanted) },
	}
	return s.perform(discover, 1, 1)
}

// push sends a message again and again, as fast as the socket takes it.
func push(ctx context.Context, conn *wsconn.Conn, message []byte) {
	for ctx.Err() == nil {
		// The queue of the socket is filled in batches, so that it is never empty,
		// and never grows to its limit.
		for range 64 {
			conn.Deliver(text(message))
		}
		conn.WaitBelow(64<<10, time.Second)
	}
}

// startFlood starts a flood as a process and returns once it is about to
// begin; stop ends it.
func startFlood(ctx context.Context, p programs, args []string) (stop func(), err error) {
	cmd := exec.CommandContext(ctx, p.bench, append([]string{"flood"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		cmd.Wait()         //nolint:errcheck // it was killed
	}
	if !bufio.NewScanner(out).Scan() {
		stop()
		return nil, errors.New("the flood has ended before it began")
	}
	return stop, nil
}
