package relay

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/targets"
)

// A Client whose Policy redacts gets nothing but by scope.Redact: events of Hosts by
// Policy.Event, their answers by connection.Result, and what the hub itself says by
// Client.answer and Client.event. Lists of Targets go through shown.

// redactsAnswer reports whether the answer to a command is for a Client whose Policy
// redacts. An answer may be as long as a message: it is redacted without the lock, which is
// taken twice only while the hub has such a Client.
func (hc *connection) redactsAnswer(id bridge.CallID) bool {
	h := hc.hub
	if !h.policies.redacting.Load() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.calls.get(id)
	return c != nil && c.client.redacts && !c.internal()
}

// redactAnswer is an answer without the secrets in it.
func redactAnswer(result []byte, err *Error) ([]byte, *Error) {
	if err != nil {
		err = &Error{Code: err.Code, Message: secrets.Text(err.Message), Data: secrets.Text(err.Data)}
	}
	if result != nil {
		result = scope.Redact(result)
	}
	return result, err
}

// shownInfo is a Target as those with a Policy see it; nil allows everything.
func shownInfo(p Policy, t targets.Info) targets.Info {
	if p != nil && p.Redacts() {
		t.Title, t.URL = secrets.Text(t.Title), secrets.Text(t.URL)
	}
	return t
}
