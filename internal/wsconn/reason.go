package wsconn

import (
	"context"
	"errors"
	"slices"
	"strconv"
)

// Reason says why a connection ended: a close code (RFC 6455, section 7.4)
// and words for the log and the peer, at most 123 bytes of UTF-8. As an error
// it can be the cause of a cancelled context, which Serve then closes with.
type Reason struct {
	Code uint16
	Text string
}

// Error implements error: "1013 slow consumer".
func (r Reason) Error() string { return strconv.Itoa(int(r.Code)) + " " + r.Text }

// The reasons of RFC 6455 and of the IANA registry. A peer sees all but
// ReasonGone and ReasonDead, which come after the peer has gone.
var (
	ReasonNormal       = Reason{1000, ""}
	ReasonTargetClosed = Reason{1000, "target closed"}
	ReasonShutdown     = Reason{1001, "shutting down"}
	ReasonDeleted      = Reason{1001, "sandbox deleted"}
	ReasonProtocol     = Reason{1002, "protocol error"}
	ReasonBinary       = Reason{1003, "only text messages are understood"}
	ReasonNoStatus     = Reason{1005, ""} // the peer's close frame was empty
	ReasonGone         = Reason{1006, "connection lost"}
	ReasonDead         = Reason{1006, "peer does not answer"}
	ReasonInvalidUTF8  = Reason{1007, "invalid UTF-8"}
	ReasonBadDeflate   = Reason{1007, "invalid compressed data"}
	ReasonTooBig       = Reason{1009, "message too big"}
	ReasonInternal     = Reason{1011, "internal error"}
	ReasonMoved        = Reason{1012, "hub moved"}
	ReasonSlowConsumer = Reason{1013, "slow consumer"}
	ReasonTryAgain     = Reason{1013, "not now: try again"}
	ReasonMemory       = Reason{1013, "slow consumer: memory budget"}
)

// The reasons of this module, with codes for private use (RFC 6455, section
// 7.4.2). The second digit tells the peer what to do; docs/bridge.md has the
// table:
//
//	41xx  connect again at once
//	43xx  connect again with another token
//	45xx  do not connect again before something has been changed
//
// 40xx is left to the protocols of adapters: BAP has a 4001 of its own.
var (
	ReasonTooSlow      = Reason{4100, "message too slow"}
	ReasonTokenChanged = Reason{4101, "token changed"}
	ReasonNoLogin      = Reason{4300, "authentication required"}
	ReasonWrongLogins  = Reason{4301, "Too many failed authentication attempts"}
	ReasonTokenRevoked = Reason{4302, "token revoked"}
	ReasonTokenExpired = Reason{4303, "token expired"}
	ReasonReplaced     = Reason{4500, "Host replaced by a newer connection"}
	ReasonHasBrowser   = Reason{4501, "this hub has a browser of its own and accepts no other: connect to a hub without one, see --browser-hub"}
	ReasonNoReady      = Reason{4502, "no ready message"}
	ReasonFragments    = Reason{4503, "too many fragments"}
	ReasonSessionTaken = Reason{4504, "a newer connection has taken over the named session"}
	ReasonSessionEnded = Reason{4505, "the named session has ended"}
	ReasonLinkMoved    = Reason{4506, "the link continues over a newer connection"}
)

// own are the reasons with codes of our own.
var own = []Reason{
	ReasonTooSlow, ReasonNoLogin, ReasonWrongLogins, ReasonTokenRevoked, ReasonTokenChanged, ReasonTokenExpired,
	ReasonReplaced, ReasonHasBrowser, ReasonNoReady, ReasonFragments, ReasonSessionTaken, ReasonSessionEnded, ReasonLinkMoved,
}

// IsOwn reports whether a code is one of our own.
func IsOwn(code uint16) bool {
	return slices.ContainsFunc(own, func(r Reason) bool { return r.Code == code })
}

// policyViolation is the code that all of them had in version 1 of the bridge.
const policyViolation = 1008

// versionOne is a reason as a peer of version 1 knows it. docs/bridge.md calls the feature
// "codes": a Host that does not name it in its ready is of version 1.
func (r Reason) versionOne() Reason {
	if slices.Contains(own, r) {
		r.Code = policyViolation
	}
	return r
}

// reasonIdle does not end the connection: it waits without a reader.
var reasonIdle = Reason{0, "idle"}

// reasonOf is what a cancelled context closes a connection with.
func reasonOf(ctx context.Context) Reason {
	var r Reason
	if errors.As(context.Cause(ctx), &r) {
		return r
	}
	return ReasonShutdown
}

// validCode reports whether a close frame may carry this code: those of RFC
// 6455, section 7.4.1, and of the IANA registry, and the ranges left to
// applications. Others, above all 1005 and 1006, are never sent.
func validCode(code uint16) bool {
	switch {
	case code >= 1000 && code <= 1003, code >= 1007 && code <= 1014, code >= 3000 && code <= 4999:
		return true
	}
	return false
}
