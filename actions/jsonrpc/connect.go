package jsonrpc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// maxWrong is how many logins may fail before the connection is closed with 4301.
const maxWrong = 5

// login takes the first message of a caller that needs a token: it must be the
// request connect. Everything else is answered with an error, and the connection is
// closed with 4300.
func (s *socket) login(ctx context.Context, calls []json.RawMessage, batch bool) {
	r, err := readRequest(calls[0])
	if batch || err != nil || r.method != "connect" || r.id == nil {
		s.write(failureResponse(r.id, newFailure(actions.NotInitialized, "Authentication required: first request must be 'connect'")))
		s.conn.Close(wsconn.ReasonNoLogin)
		return
	}
	p := actions.ReadParams(r.params)
	token := tokenOf(p)
	if err := p.Err(); err != nil {
		s.write(failureResponse(r.id, err))
		return
	}
	caller, err := s.caller.Login(token)
	if err != nil {
		s.write(failureResponse(r.id, err))
		// No browser is no wrong token, and must not count as one.
		if actions.KindOf(err) == actions.NoBrowser {
			return
		}
		if s.wrong++; s.wrong >= maxWrong {
			s.conn.Close(wsconn.ReasonWrongLogins)
		}
		return
	}
	// The timer has fired: the connection is being closed for being late.
	if !s.timer.Stop() {
		return // the connection closes
	}
	close(s.known)
	s.caller = caller
	s.begin(ctx)
	s.write(&response{Version: "2.0", ID: r.id, Result: welcomeCaller(caller, p)})
}

// tokenOf is the first token that connect brings, in one of the forms that clients
// use:
//
//	{"role":"operator","auth":{"token":"T"},"client":{"id":"…"}}
//	{"token":"T"}, {"shared_token":"T"}, {"invitation_token":"T"}
func tokenOf(p *actions.Params) string {
	for _, text := range []string{p.Object("auth").Text("token"), p.Text("token"), p.Text("shared_token"), p.Text("invitation_token")} {
		if text != "" {
			return text
		}
	}
	return ""
}

// welcomed is the result of connect.
type welcomed struct {
	Token       string   `json:"token"`
	DeviceID    string   `json:"device_id"`
	Permissions []string `json:"permissions"`
	ExpiresAt   string   `json:"expires_at"` // RFC 3339
}

// never is the expiry of a token that does not expire: the member is not optional.
var never = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// welcomeCaller is the result of connect: the caller's own token and device id, and its
// scope. A caller without a device id gets a random one.
func welcomeCaller(c actions.Caller, p *actions.Params) welcomed {
	w := welcomed{Token: tokenOf(p), DeviceID: p.Text("device_id"), Permissions: []string{"*"}}
	if w.DeviceID == "" {
		w.DeviceID = p.Object("client").Text("id")
	}
	if w.DeviceID == "" {
		w.DeviceID = rand.Text()
	}
	if c.Scope != "" {
		w.Permissions = []string{c.Scope}
	}
	at := never
	if !c.Expires.IsZero() {
		at = c.Expires
	}
	w.ExpiresAt = at.UTC().Format(time.RFC3339)
	return w
}

// connectCaller answers a caller that needs no login, or has logged in already.
func connectCaller(_ context.Context, c *call) (any, error) {
	w := welcomeCaller(*c.caller, c.Params)
	return w, c.Err()
}
