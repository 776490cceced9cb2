package wsconn

import (
	"context"
	"errors"
	"strconv"
)

// Reason says why a connection ended: a close code (RFC 6455, section 7.4)
// and words for the log and the peer, at most 123 bytes of UTF-8. As an error
// it can be the cause of a cancelled context, which Serve then closes with.
type Reason struct {
	Code uint16
	Text string
}

func (r Reason) Error() string { return strconv.Itoa(int(r.Code)) + " " + r.Text }

// The reasons of this module, in one place. A peer sees all but ReasonGone
// and ReasonDead, for which there is nobody left to tell.
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
	ReasonReplaced     = Reason{1008, "Host replaced by a newer connection"}
	ReasonHasBrowser   = Reason{1008, "this hub has a browser of its own and takes no other: come to one without, see --browser-hub"}
	ReasonNoReady      = Reason{1008, "no ready message"}
	ReasonTokenRevoked = Reason{1008, "token revoked"}
	ReasonTokenExpired = Reason{1008, "token expired"}
	ReasonNoLogin      = Reason{1008, "authentication required"}
	ReasonWrongLogins  = Reason{1008, "Too many failed authentication attempts"}
	ReasonTooSlow      = Reason{1008, "message too slow"}
	ReasonFragments    = Reason{1008, "too many fragments"}
	ReasonTooBig       = Reason{1009, "message too big"}
	ReasonInternal     = Reason{1011, "internal error"}
	ReasonSlowConsumer = Reason{1013, "slow consumer"}
	ReasonTryAgain     = Reason{1013, "not now: try again"}
	ReasonMemory       = Reason{1013, "slow consumer: memory budget"}
)

// reasonIdle is no end: the connection waits without a reader.
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
