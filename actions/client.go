package actions

import (
	"context"

	"github.com/cdphub/cdphub/internal/wire"
)

// Client is one CDP connection, as relay.Local is.
type Client interface {
	// Send sends a command with params, a JSON object or nil, in a session, or at
	// browser level where sessionID is "". What it returns waits for the answer
	// and must be called once; its error is a *wire.Error or that of the context,
	// and its bytes are the caller's to keep.
	// Commands keep their order.
	Send(sessionID, method string, params []byte) (wait func(context.Context) ([]byte, error))
	// Leave ends the connection: calls that wait fail.
	Leave()
}

// EventFunc takes an event of a Client; params are its to keep. It never
// blocks.
type EventFunc func(sessionID, method string, params []byte)

// Join makes the connection of a Browser, whose events go to the function.
type Join func(EventFunc) (Client, error)

// command is a command to send; result, if not nil, is what to decode into.
type command struct {
	session string
	method  string
	params  any // encoded as JSON; nil for none
	result  any
}

// sendAll sends commands one after the other without waiting in between, and then waits
// for all of them, also after a failure: each answer is read. It returns the first
// failure, with the method that failed.
func sendAll(ctx context.Context, c Client, list ...command) (method string, err error) {
	waits := make([]func(context.Context) ([]byte, error), len(list))
	for i, cmd := range list {
		var params []byte
		if cmd.params != nil {
			params = mustJSON(cmd.params)
		}
		waits[i] = c.Send(cmd.session, cmd.method, params)
	}
	for i, cmd := range list {
		out, failed := waits[i](ctx)
		if failed == nil && cmd.result != nil {
			failed = wire.Decode(out, cmd.result)
		}
		if failed != nil && err == nil {
			method, err = cmd.method, failed
		}
	}
	return method, err
}

// obj is the params of a command. Its keys are sorted in JSON (encoding/json), so
// that the same command always has the same bytes.
type obj = map[string]any
