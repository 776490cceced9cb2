package relay

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// waitingCommands are commands of Clients that the hub carries out later, in the order in which
// they came: when a browser is there, or a person hands the page back. Hub.mu guards them.
type waitingCommands struct {
	list []*waitingCommand `held:"waiting commands"`
}

type waitingCommand struct {
	request
	account *quota.Account // counts it
	timer   *time.Timer
}

// maxWaitingParams is how many bytes of params a command has at most that waits. How many
// commands wait is limited by a quota.Pool.
const maxWaitingParams = 64 << 10

// keep has a command wait, and reports whether there was room. A command that has waited for
// as long as patience is refused. It is counted as received when it is answered. Its timer and
// the end of the wait may come together: whoever removes it from the list answers it.
func (w *waitingCommands) keep(r *request, room *quota.Pool, patience time.Duration, refusal func() *wire.Error) bool {
	if len(r.Params) > maxWaitingParams {
		return false
	}
	account := room.OpenLocked(r.client.account.payer)
	if account.TakeLocked(1) != nil {
		account.CloseLocked()
		return false
	}
	h := r.client.hub
	h.counters.Received--
	k := &waitingCommand{request: r.clone(), account: account}
	k.timer = time.AfterFunc(patience, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if w.remove(k) {
			h.counters.Received++
			k.client.answer(h.sessionLocked(k.client, &k.Envelope), k.ID, nil, refusal())
		}
	})
	w.list = append(w.list, k)
	return true
}

// remove forgets a command, and reports whether it has waited until now.
func (w *waitingCommands) remove(k *waitingCommand) bool {
	i := slices.Index(w.list, k)
	if i < 0 {
		return false
	}
	w.list = slices.Delete(w.list, i, i+1)
	k.end()
	return true
}

// end counts a command that does not wait any more.
func (k *waitingCommand) end() {
	k.timer.Stop()
	k.account.AddLocked(-1)
	k.account.CloseLocked()
}

// resume carries out all commands. The list is taken away first, as a command may have others
// wait.
func (w *waitingCommands) resume() {
	list := w.list
	w.list = nil
	for _, k := range list {
		k.end()
		h := k.client.hub
		h.counters.Received++
		h.serveLocked(&k.request, nil)
	}
}

// forget drops what a Client that leaves has waiting. They are counted as lost with their
// Client, as all others without an answer.
func (w *waitingCommands) forget(c *Client) {
	for _, k := range slices.Clone(w.list) {
		if k.client == c && w.remove(k) {
			c.hub.counters.Received++
			c.hub.counters.ClientGone++
		}
	}
}

// clone is a copy of a request that may wait: its members and what was read of them are
// its own already (Policy.Read).
func (r *request) clone() request {
	own := *r
	own.ID, own.Params = bytes.Clone(r.ID), bytes.Clone(r.Params)
	own.Method, own.SessionID = strings.Clone(r.Method), strings.Clone(r.SessionID)
	return own
}
