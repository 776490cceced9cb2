package actions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
)

// Kind says what went wrong. Each adapter has a table from kinds to the codes or
// names of its own API; here are no numbers. Callers switch on it by KindOf.
type Kind string

// The kinds of errors. Those of the first group are for adapters to use.
const (
	MalformedFrame   Kind = "MalformedFrame"
	InvalidEnvelope  Kind = "InvalidEnvelope"
	UnknownVerb      Kind = "UnknownVerb"
	Unauthenticated  Kind = "Unauthenticated"
	ConsentDenied    Kind = "ConsentDenied"
	ApprovalTimeout  Kind = "ApprovalTimeout"
	NotInitialized   Kind = "NotInitialized"
	RateLimited      Kind = "RateLimited"
	PermissionDenied Kind = "PermissionDenied"
	Paused           Kind = "Paused" // a person has taken over the page

	InvalidArgument   Kind = "InvalidArgument"
	URLBlocked        Kind = "URLBlocked" // Details.Block says why
	NoBrowser         Kind = "NoBrowser"
	PageNotFound      Kind = "PageNotFound"
	ContextNotFound   Kind = "ContextNotFound"
	FrameNotFound     Kind = "FrameNotFound"
	ElementNotFound   Kind = "ElementNotFound"
	StaleRef          Kind = "StaleRef"         // a snapshot's ref that names nothing any more
	AmbiguousLocator  Kind = "AmbiguousLocator" // Details.Count elements match
	NotVisible        Kind = "NotVisible"
	NotEnabled        Kind = "NotEnabled"
	Obscured          Kind = "Obscured" // another element would be hit
	NavigationFailed  Kind = "NavigationFailed"
	NavigationTimeout Kind = "NavigationTimeout"
	EvalException     Kind = "EvalException"
	EvalTimeout       Kind = "EvalTimeout"
	Timeout           Kind = "Timeout"
	TargetClosed      Kind = "TargetClosed"
	ContextDestroyed  Kind = "ContextDestroyed" // the page navigated meanwhile
	Unsupported       Kind = "Unsupported"
	LimitExceeded     Kind = "LimitExceeded"
	Internal          Kind = "Internal"

	numbersSpent Kind = "NumbersSpent" // of the page script, which gets more numbers
)

// Error is what every function here fails with.
type Error struct {
	Kind    Kind
	Message string // a phrase such as "element not found: #save", without the kind
	Details Details
	Cause   error // what Unwrap returns; mostly nil
}

// Details are what an adapter may add to the message. Fields that do not
// apply are zero.
type Details struct {
	Locator     string // the locator as text
	Count       int    // of AmbiguousLocator: how many elements match
	Waited      time.Duration
	PageID      string
	Unsupported string // the CDP method that the target cannot do
	TargetKind  TargetKind
	Block       Block         // of URLBlocked
	Field       string        // of InvalidArgument: which, where that is known
	RetryAfter  time.Duration // of RateLimited: when there will be a turn again
	Scope       string        // of PermissionDenied: what the caller would need
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf is the kind of an error: Internal for one that is not an *Error, ""
// for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

func newError(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// invalidArgument says what is wrong with an argument.
func invalidArgument(format string, args ...any) *Error {
	return newError(InvalidArgument, "bad request: "+format, args...)
}

// UnknownName is the error for a verb, method or tool that an adapter has not, in words of its own, with
// the known name that was meant. It repeats 200 bytes of the name at most.
func UnknownName(what, name string, known iter.Seq[string]) *Error {
	return newError(UnknownVerb, "%s%s%s", what, cutText(name, longestName), advice.DidYouMean(name, slices.Collect(known)))
}

// longestName is how much of an unknown name an error repeats, in bytes.
const longestName = 200

// notConnected begins what a Host says of a page that no agent answers for.
const notConnected = "Target is not connected"

// Words of answers that say what has happened. CDP has no codes for these: Chromium
// answers all of them with -32000 and a text. gone says that a session has ended,
// moved that a document has, and noHost that the hub has nothing to act on.
var (
	gone = []string{
		"Session with given id not found", "Target destroyed", "Session detached", "Host disconnected",
		"Host replaced", "Host re-announced", "The Client has left", "Target closed", "Target crashed", "No target with given id",
		"No target found for targetId",
	}
	moved = []string{
		"Inspected target navigated or closed", "Cannot find context with specified id", "Execution context was destroyed",
		"Could not find object with given id", "Promise was collected", "Cannot find default execution context",
		"uniqueContextId not found", "No frame for given id found", "Frame with the given id was not found",
	}
	noHost = []string{
		"Host is not connected", "Host is not responding", "Hub is shutting down",
		advice.NoPage.State, advice.Restarting.State, advice.BrowserEnded.State,
	}
	noPage = []string{advice.NoPage.State, advice.PageAway.State} // at the end of an answer
)

// NoBrowserFor is the error for a hub that has nothing to act on, with the reason. It
// does not repeat its own prefix.
func NoBrowserFor(err error) *Error {
	const prefix = "no browser: "
	return &Error{Kind: NoBrowser, Message: prefix + strings.TrimPrefix(commandError(err), prefix), Cause: err}
}

// commandError is an error of a command with the advice that its data has. A method that is
// not found has only its name there.
func commandError(err error) string {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Code == wire.CodeMethodNotFound {
		return err.Error()
	}
	return e.Full()
}

func isAmong(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// translate is the one place where the failure of a command becomes an Error. The
// order of the cases matters: an answer of the hub can have words of several lists. p
// may be nil, for a command at browser level.
func (p *Page) translate(method string, err error) *Error {
	e := &Error{Kind: Internal, Message: method + ": " + commandError(err), Cause: err}
	answer, ok := errors.AsType[*wire.Error](err)
	switch text := err.Error(); {
	case !ok && errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message = Timeout, "timed out"
	case !ok && errors.Is(err, context.Canceled):
		e.Kind, e.Message = Timeout, "cancelled"
	case !ok:
	case strings.HasPrefix(text, "paused: "):
		e.Kind, e.Message = Paused, commandError(err)
	case isAmong(text, noPage):
		_, why, _ := strings.Cut(text, "is not supported. ")
		e = NoBrowserFor(errors.New(cmp.Or(why, text)))
	case answer.Code == wire.CodeMethodNotFound, strings.Contains(text, "is not possible in an embedded frame"), strings.Contains(text, "is not possible in a tab that its user shares"), strings.Contains(text, "is not supported"):
		e = p.unsupportedError(method, commandError(err))
	case strings.Contains(text, notConnected), isAmong(text, moved) && strings.Contains(text, "no Frame Agent"): // no agent answers
		e.Kind, e.Message = Unsupported, "the page cannot be driven: "+commandError(err)
		e.Details.Unsupported, e.Details.TargetKind = method, FrameTarget
	case isAmong(text, gone):
		e.Kind, e.Message = TargetClosed, "page closed"
		if p != nil {
			e.Message = p.b.gone().Message
		}
	case isAmong(text, moved):
		e.Kind, e.Message = ContextDestroyed, "page navigated away"
	case isAmong(text, noHost):
		e = NoBrowserFor(err)
	case strings.Contains(text, "scope"):
		e.Kind, e.Message = PermissionDenied, "permission denied: "+text
	}
	if p != nil {
		e.Details.PageID = p.ID
		if d, open := p.OpenDialog(); open && e.Kind == Timeout {
			e.Message += ": the page shows a dialog (" + d.Type + "), and does nothing until it is answered"
		}
	}
	return e
}

// gone is the error of calls on a page that has gone, perhaps with its browser. It leaves ended
// set, so that the next call fails by Loss, too: the caller may not wait for the call that this
// error answers.
func (b *Browser) gone() *Error {
	if b.ended.Load() && b.shown.Load() {
		return b.lossError()
	}
	return newError(TargetClosed, "page closed")
}

// unsupportedError says that a target cannot do something, and why.
func (p *Page) unsupportedError(method, why string) *Error {
	e := newError(Unsupported, "not supported by this target: %s", why)
	e.Details.Unsupported = method
	if p != nil {
		e.Details.TargetKind = p.kindNow()
	}
	return e
}
