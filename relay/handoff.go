package relay

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// A Client may ask a person to do something in its page, such as to log in:
//
//	> {"id":1,"method":"CdpHub.handoff","params":{"instructions":"Please log in.","timeout":300000},"sessionId":"S"}
//	< {"id":1,"result":{"handoffId":"…","url":"https://…","expires":1800000000000},"sessionId":"S"}
//	< {"method":"CdpHub.handoffComplete","params":{"handoffId":"…","success":true,"reason":"done"},"sessionId":"S"}
//
// The Client shows the url to the person. The event comes exactly once, unless the
// session ends first.

// HandoffReason says how a handoff has ended.
type HandoffReason string

// The reasons, as the event has them.
const (
	HandoffDone      HandoffReason = "done"      // the person says that it is done
	HandoffCancelled HandoffReason = "cancelled" // the person, or the Client, has given up
	HandoffTimeout   HandoffReason = "timeout"
)

// Handoff is what a person is asked to do.
type Handoff struct {
	ID           string // names it to the Client; it opens nothing
	TargetID     string
	Instructions string
	Until        time.Time
	Payer        quota.Payer // who has asked for it
	OpenedBy     string      // the name of who has opened the link; "" before, and for somebody without a name
}

// Opener is who opens the link of a handoff. Account is that of the person's token, or "".
type Opener struct{ Account, Name string }

// handoffs are those of a hub that have not ended, by targetId. Hub.mu guards them.
type handoffs map[string]*handoff

// handoff is one that has not ended. Hub.mu guards it. The ticket opens the link once, so
// that a link in somebody's history opens nothing, and after that for the token of the same
// person, who may have closed the tab or have gone to another device.
type handoff struct {
	Handoff
	session *clientSession
	ticket  string // of the link
	key     string // of the person who has used it; "" before
	opener  string // the account of that person's token; "" is none
	timer   *time.Timer
}

const (
	handoffTimeout    = 5 * time.Minute // where the Client names none
	maxHandoffTimeout = time.Hour
	maxInstructions   = 2000 // bytes
)

var (
	errHandoffOff = &wire.Error{
		Code: wire.CodeServer, Message: "A handoff is not possible without the dashboard, which is off: start cdphub with --ui",
	}
	errHandoffOpen = &wire.Error{
		Code: wire.CodeServer, Message: wire.HandoffOpen + ": wait for CdpHub.handoffComplete, or send CdpHub.cancelHandoff",
	}
	errNoHandoff = wire.InvalidParams("No handoff of this session has this handoffId, or it has ended")
)

var (
	// ErrHandoffEnded says that a handoff has ended, or that somebody else has used its link.
	ErrHandoffEnded = errors.New("this link was used already, or it has expired: ask for a new one")
	// ErrOwnHandoff says that the token that has asked for a handoff cannot do what is asked.
	ErrOwnHandoff = errors.New("the token that has asked for this handoff cannot do what it asks for: use another token, or cancel the handoff")
)

// client is the Client that has asked.
func (o *handoff) client() *Client { return o.session.client }

// account is that of the Client that has asked; "" is none.
func (o *handoff) account() string { return o.client().bearer }

// isOf reports whether an account has asked for the handoff. Without tokens there is no
// account, and people cannot be told from Clients.
func (o *handoff) isOf(account string) bool { return account != "" && o.account() == account }

// ownMethod reports whether a method is the hub's own, with every kind of Host.
func ownMethod(name string) bool { return strings.HasPrefix(name, "CdpHub.") }

// beginHandoff answers CdpHub.handoff. One handoff of a page may be open at a time.
func beginHandoff(h *Hub, r *request) ([]byte, *wire.Error) {
	o, err := readHandoff(r)
	if err != nil {
		return nil, err
	}
	// The whole page is handed over, also from a session on a frame in it.
	o.TargetID = cmp.Or(sideOf(r.session).pageOf(r.session.TargetID), r.session.TargetID)
	if h.handoffs[o.TargetID] != nil {
		return nil, errHandoffOpen
	}
	o.ID, o.ticket = h.opts.NewID(), h.opts.NewID()
	link := h.opts.HandoffURL
	if r.client.handoffURL != nil {
		link = r.client.handoffURL
	}
	url := link(h.opts.Name, o.ticket)
	if url == "" {
		return nil, errHandoffOff
	}
	o.session, o.Payer = r.session, r.client.account.payer
	if h.handoffs == nil {
		h.handoffs = make(handoffs)
	}
	h.handoffs[o.TargetID] = o
	h.leases.changed(o.TargetID) // whoever has the page may take it for the handoff
	o.audit("handoff begins")
	o.timer = time.AfterFunc(time.Until(o.Until), o.expire)
	b := wire.AppendString([]byte(`{"handoffId":`), o.ID)
	b = wire.AppendString(append(b, `,"url":`...), url)
	return append(strconv.AppendInt(append(b, `,"expires":`...), o.Until.UnixMilli(), 10), '}'), nil
}

// readHandoff reads the params. instructions are cloned: members point into the read
// buffer. timeout is in milliseconds, 5 minutes where it is missing.
func readHandoff(r *request) (*handoff, *wire.Error) {
	instructions, given := r.members.Text("instructions")
	instructions = strings.TrimSpace(instructions)
	switch {
	case !given:
		return nil, missingParam("instructions")
	case instructions == "":
		return nil, wire.InvalidParams("instructions must not be empty: describe what the person has to do")
	case len(instructions) > maxInstructions:
		return nil, wire.InvalidParams("instructions may have 2000 bytes at most")
	}
	within := handoffTimeout
	if raw := r.members.Get("timeout"); raw != nil {
		ms, ok := wire.Int(raw)
		if within = time.Duration(ms) * time.Millisecond; !ok || ms <= 0 || ms > maxHandoffTimeout.Milliseconds() {
			return nil, wire.InvalidParams("timeout is in milliseconds, from 1 to 3600000")
		}
	}
	return &handoff{Handoff: Handoff{
		Instructions: strings.Clone(strings.ToValidUTF8(instructions, string(utf8.RuneError))), Until: time.Now().Add(within),
	}}, nil
}

// cancelHandoff answers CdpHub.cancelHandoff.
func cancelHandoff(h *Hub, r *request) ([]byte, *wire.Error) {
	id, given := r.members.Text("handoffId")
	if !given {
		return nil, missingParam("handoffId")
	}
	o := h.handoffs.find(func(o *handoff) bool { return o.ID == id && o.client() == r.client })
	if o == nil {
		return nil, errNoHandoff
	}
	o.end(HandoffCancelled)
	return nil, nil
}

// find finds the handoff that fits; nil when there is none. There are few at a
// time: each has its person.
func (hs handoffs) find(fits func(*handoff) bool) *handoff {
	for _, o := range hs {
		if fits(o) {
			return o
		}
	}
	return nil
}

// OpenHandoff exchanges the ticket of a link for the key of the person who opens it: once, and
// again for the same account. The error is ErrHandoffEnded, or ErrOwnHandoff for the account
// that has asked: the ticket stays good for others then. The comparison of tickets takes the
// same time for all.
func (h Control) OpenHandoff(ticket string, by Opener) (key string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.handoffs.find(func(o *handoff) bool { return sameSecret(o.ticket, ticket) })
	switch {
	case o == nil:
		return "", ErrHandoffEnded
	case o.isOf(by.Account):
		return "", ErrOwnHandoff
	case o.key == "":
		o.key, o.opener, o.OpenedBy = h.opts.NewID(), by.Account, by.Name
	case o.opener == "" || o.opener != by.Account:
		return "", ErrHandoffEnded
	}
	return o.key, nil
}

// HandoffByKey finds the handoff of a person.
func (h Control) HandoffByKey(key string) (Handoff, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.handoffs.find(func(o *handoff) bool { return o.key != "" && sameSecret(o.key, key) })
	if o == nil {
		return Handoff{}, false
	}
	return o.Handoff, true
}

// HandoffOf finds the handoff of a Target.
func (h Control) HandoffOf(targetID string) (Handoff, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o := h.handoffs[targetID]; o != nil {
		return o.Handoff, true
	}
	return Handoff{}, false
}

// AnswerHandoff ends a handoff by its ID, with the answer of a person whose token has the
// account, and tells its Client. The error is ErrHandoffEnded for one that has ended before,
// and ErrOwnHandoff for a Client that says itself that it is done.
func (h Control) AnswerHandoff(id, account string, done bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.handoffs.find(func(o *handoff) bool { return o.ID == id })
	switch {
	case o == nil:
		return ErrHandoffEnded
	case !done:
		o.end(HandoffCancelled)
	case o.isOf(account):
		return ErrOwnHandoff
	default:
		o.end(HandoffDone)
	}
	return nil
}

// expire ends a handoff whose time is up.
func (o *handoff) expire() {
	h := o.client().hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.handoffs[o.TargetID] == o {
		o.end(HandoffTimeout)
	}
}

// end forgets a handoff and sends CdpHub.handoffComplete.
func (o *handoff) end(why HandoffReason) {
	o.forget()
	b := wire.AppendString([]byte(`{"handoffId":`), o.ID)
	b = strconv.AppendBool(append(b, `,"success":`...), why == HandoffDone)
	b = append(wire.AppendString(append(b, `,"reason":`...), string(why)), '}')
	o.client().event(o.session, "CdpHub.handoffComplete", b)
}

// forget ends the right of its guest to the page as well, and no other lease.
// Its Client gets no event.
func (o *handoff) forget() {
	h := o.client().hub
	o.timer.Stop()
	delete(h.handoffs, o.TargetID)
	h.leases.end(handoffEnd{o})
	o.audit("handoff ends")
}

// audit writes to the audit log. Neither ticket nor key may be in it. The logger of a
// hub names the hub (Hubs.Acquire).
func (o *handoff) audit(what string) {
	client := o.client().name
	o.client().hub.opts.Log.Named("audit").Info(what, zap.String("target", o.TargetID), zap.String("handoff", o.ID), zap.String("client", client))
}

// forget forgets what a session has asked for, since it ends.
func (hs handoffs) forget(s *clientSession) {
	for _, o := range hs {
		if o.session == s {
			o.forget()
		}
	}
}
