package ndjson

import (
	"bytes"
	"context"
	"maps"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// defaultSession is the name of the hub at the root, which has no name of its own.
const defaultSession = "default"

// socket is one connection.
type socket struct {
	conn      *wsconn.Conn // static after Serve began
	caller    actions.Caller
	scheduler *actions.Scheduler
	log       *zap.Logger
	session   string
}

// Begin serves a connection whose messages the caller reads. The caller passes each to receive,
// one at a time, and calls end when the connection has ended. receive does not keep the frame. All
// connections of a hub share the active page (actions.Options.Follow).
func Begin(ctx context.Context, conn *wsconn.Conn, c actions.Caller) (receive func(frame []byte), end func()) {
	c.Options.Follow = true
	s := &socket{conn: conn, caller: c, log: c.Options.Logger(), session: c.Hub}
	if s.session == "" {
		s.session = defaultSession
	}
	s.scheduler = actions.NewScheduler(ctx, c, func() { conn.Close(wsconn.ReasonShutdown) })
	conn.HandleBinary(func([]byte) { s.reply("", nil, badRequest("a binary frame, expected text")) })
	return s.receive, s.scheduler.End
}

// receive takes a frame. It does not wait: the scheduler runs the action. Empty
// frames are ignored, as empty lines of NDJSON are.
func (s *socket) receive(frame []byte) {
	if len(bytes.TrimSpace(frame)) == 0 {
		return
	}
	r, err := readRequest(frame)
	if err != nil {
		s.reply("", nil, err)
		return
	}
	v, known := verbs[r.action]
	switch {
	case !known:
		err = actions.UnknownName("unknown action: ", r.action, maps.Keys(verbs))
	case r.session != "" && r.session != s.session:
		err = &actions.Error{Kind: actions.InvalidArgument, Message: "session not found: " + cutName(r.session)}
	default:
		err = s.caller.Permit(r.action, v.reads)
	}
	if err != nil {
		s.reply(r.id, nil, err)
		return
	}
	c := &call{s, envelope.Call{Scheduler: s.scheduler, Params: actions.ReadParams(r.params)}}
	page := c.Text("page_id")
	if err := c.Err(); err != nil {
		s.reply(r.id, nil, err)
		return
	}
	// The active page may change only while no other action runs that goes by it.
	turn := actions.Job{Page: page, Exclusive: v.tabs || v.moves && page != ""}
	err = s.scheduler.Run(turn, func(ctx context.Context) {
		data, err := actions.Try(s.log, r.action, func() (any, error) { return c.carryOut(ctx, v) })
		s.reply(r.id, data, err)
	})
	if err != nil {
		s.reply(r.id, nil, err)
	}
}

func (s *socket) reply(id string, data any, err error) {
	if actions.KindOf(err) == actions.Internal {
		s.log.Warn("an action failed", zap.String("adapter", "ndjson"), zap.Error(err))
	}
	s.conn.Deliver(wire.Frame{Head: answerFrame(id, data, err)})
}

// cutName bounds a name of the client that an answer repeats, in bytes.
func cutName(name string) string {
	const longest = 200
	if len(name) > longest {
		return name[:longest]
	}
	return name
}

// call is one request as its verb sees it.
type call struct {
	*socket
	envelope.Call
}

// byDefault is the time of an action without timeout_ms.
const byDefault = 30 * time.Second

// onPage runs do on the page of a call, within timeout_ms.
func (c *call) onPage(ctx context.Context, do func(context.Context, *actions.Page) (any, error)) (any, error) {
	return c.OnPage(ctx, "page_id", c.Limit(byDefault), do)
}
