package bap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cdphub/cdphub/actions"
)

// The codes of errors: those of JSON-RPC 2.0 (section 5.1), then those of BAP. The
// other constants are what errors have beside: hints, times in milliseconds, and
// prefixes of messages of package actions.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603

	codeServer             = -32000 // rate and page limits
	codeNotInitialized     = -32001
	codeInitialized        = -32002
	codeNotLaunched        = -32010
	codePageNotFound       = -32011
	codeElementNotFound    = -32012
	codeNotVisible         = -32013
	codeNotEnabled         = -32014
	codeNavigationFailed   = -32015
	codeTimeout            = -32016
	codeTargetClosed       = -32017
	codeContextDestroyed   = -32018
	codeAmbiguous          = -32020
	codeActionFailed       = -32021
	codeContextNotFound    = -32023 // and refusals for want of a scope
	codeResourceLimit      = -32024
	codeApprovalDenied     = -32030
	codeApprovalTimeout    = -32031
	codeFrameNotFound      = -32040
	codeDomainNotAllowed   = -32041
	hintObserve            = "Run observe() to refresh interactive elements, then retry with an updated selector"
	hintVisible            = "Scroll to the element, or wait until it is shown"
	hintEnabled            = "Wait until the element is enabled, or fill in what it needs first"
	hintAmbiguous          = "Use a selector that matches one element, such as a ref of agent/observe"
	hintLaunch             = "Call browser/launch first"
	retryElement           = 500
	retryNavigation        = 1000
	retryDestroyed         = 100
	retryLimited           = 1000
	prefixInvalid          = "bad request: "
	prefixBlocked          = "navigation blocked: "
	faultMessage           = "internal error" // of a bug of the hub; the log has the details
	prefixLimited          = "rate limited: "
	elementNotFoundMessage = "Element not found"
)

// failure is an error as clients see it:
//
//	{"code":-32012,"message":"Element not found","data":{"retryable":true,"retryAfterMs":500}}
type failure struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    failureData `json:"data"`
}

type failureData struct {
	Retryable    bool           `json:"retryable"`
	RetryAfterMS int            `json:"retryAfterMs,omitempty"`
	Details      map[string]any `json:"details,omitempty"`
	RecoveryHint string         `json:"recoveryHint,omitempty"`
}

// Error implements error.
func (f *failure) Error() string { return f.Message }

// note adds a detail to the error's data. The failure must not have been answered
// yet.
func (f *failure) note(name string, value any) {
	if f.Data.Details == nil {
		f.Data.Details = make(map[string]any)
	}
	f.Data.Details[name] = value
}

// detail is note for a failure that is just being made.
func (f *failure) detail(name string, value any) *failure {
	f.note(name, value)
	return f
}

func newFailure(code int, format string, args ...any) *failure {
	return &failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// invalidParam is the error for a wrong param, and names its field.
func invalidParam(field, format string, args ...any) *failure {
	return newFailure(codeInvalidParams, "Invalid params: "+field+": "+format, args...).detail("field", field)
}

// row is the code and the data of one kind of error.
type row struct {
	code    int
	retry   bool
	afterMS int
	hint    string
}

// kinds has a row for each kind of package actions. A kind that is missing is an
// internal error.
var kinds = map[actions.Kind]row{
	actions.MalformedFrame:    {code: codeParse},
	actions.InvalidEnvelope:   {code: codeInvalidRequest},
	actions.UnknownVerb:       {code: codeNoMethod},
	actions.InvalidArgument:   {code: codeInvalidParams},
	actions.PermissionDenied:  {code: codeContextNotFound},
	actions.ConsentDenied:     {code: codeApprovalDenied},
	actions.ApprovalTimeout:   {code: codeApprovalTimeout, retry: true},
	actions.URLBlocked:        {code: codeInvalidParams},
	actions.NotInitialized:    {code: codeNotInitialized},
	actions.NoBrowser:         {code: codeNotLaunched},
	actions.PageNotFound:      {code: codePageNotFound},
	actions.ContextNotFound:   {code: codeContextNotFound},
	actions.FrameNotFound:     {code: codeFrameNotFound},
	actions.ElementNotFound:   {code: codeElementNotFound, retry: true, afterMS: retryElement, hint: hintObserve},
	actions.StaleRef:          {code: codeElementNotFound, hint: hintObserve},
	actions.AmbiguousLocator:  {code: codeAmbiguous, hint: hintAmbiguous},
	actions.NotVisible:        {code: codeNotVisible, retry: true, afterMS: retryElement, hint: hintVisible},
	actions.Obscured:          {code: codeNotVisible, retry: true, afterMS: retryElement, hint: hintVisible},
	actions.NotEnabled:        {code: codeNotEnabled, retry: true, afterMS: retryElement, hint: hintEnabled},
	actions.NavigationFailed:  {code: codeNavigationFailed, retry: true, afterMS: retryNavigation},
	actions.NavigationTimeout: {code: codeTimeout, retry: true},
	actions.EvalException:     {code: codeActionFailed},
	actions.EvalTimeout:       {code: codeTimeout, retry: true},
	actions.Timeout:           {code: codeTimeout, retry: true},
	actions.TargetClosed:      {code: codeTargetClosed},
	actions.ContextDestroyed:  {code: codeContextDestroyed, retry: true, afterMS: retryDestroyed},
	actions.Unsupported:       {code: codeActionFailed},
	actions.RateLimited:       {code: codeServer, retry: true, afterMS: retryLimited},
	actions.Paused:            {code: codeActionFailed, retry: true, afterMS: retryLimited},
	actions.LimitExceeded:     {code: codeResourceLimit},
	actions.Internal:          {code: codeInternal},
}

// failureOf is the one place where an error becomes what the client sees. params are
// those of the method, for the selector in the details.
func failureOf(err error, params json.RawMessage) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	e, ok := errors.AsType[*actions.Error](err)
	if !ok {
		return newFailure(codeInternal, "Internal error")
	}
	r, ok := kinds[e.Kind]
	if !ok {
		r.code = codeInternal
	}
	f := newFailure(r.code, "%s", errorText(e))
	f.Data.Retryable, f.Data.RetryAfterMS, f.Data.RecoveryHint = r.retry, r.afterMS, r.hint
	if wait := e.Details.RetryAfter; wait > 0 {
		f.Data.RetryAfterMS = int(math.Ceil(float64(wait) / float64(time.Millisecond)))
	}
	f.describe(e, params)
	return f
}

// errorText is the text of an error in the words of the protocol, with a capital.
func errorText(e *actions.Error) string {
	text := e.Message
	switch e.Kind {
	case actions.ElementNotFound:
		return elementNotFoundMessage
	case actions.StaleRef:
		return elementNotFoundMessage + ": no element has the ref " + e.Details.Locator + " any more, run agent/observe again"
	case actions.InvalidArgument:
		text = strings.TrimPrefix(text, prefixInvalid)
	case actions.URLBlocked:
		text = strings.TrimPrefix(text, prefixBlocked)
	case actions.RateLimited:
		return "Rate limit exceeded: " + strings.TrimPrefix(text, prefixLimited)
	case actions.Internal:
		if text != faultMessage {
			return "Internal error: " + text
		}
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// describe fills in the details that a kind of error has.
func (f *failure) describe(e *actions.Error, params json.RawMessage) {
	switch e.Kind {
	case actions.ElementNotFound, actions.StaleRef, actions.NotVisible, actions.NotEnabled, actions.Obscured, actions.AmbiguousLocator:
		f.note("selector", selectorOf(e, params))
		if e.Kind == actions.AmbiguousLocator {
			f.note("count", e.Details.Count)
		}
	case actions.PageNotFound:
		if e.Details.PageID != "" {
			f.note("pageId", e.Details.PageID)
		}
	case actions.Unsupported:
		f.note("unsupported", e.Details.Unsupported)
		// Without a kind, it is of the browser itself, which pages in frames do not have.
		f.note("targetKind", cmp.Or(e.Details.TargetKind, actions.FrameTarget))
	case actions.PermissionDenied:
		f.note("requiredScopes", []string{requiredScope(e.Message)})
	case actions.URLBlocked:
		if e.Details.Block == actions.BlockDomain || e.Details.Block == actions.BlockPrivate {
			f.Code = codeDomainNotAllowed
		}
	}
}

// selectorOf is the selector that the client gave, else the text of the locator.
func selectorOf(e *actions.Error, params json.RawMessage) any {
	var given struct{ Selector json.RawMessage }
	if json.Unmarshal(params, &given) == nil && given.Selector != nil {
		return given.Selector
	}
	return e.Details.Locator
}

// requiredScope is the scope that the hub has asked for, at the end of its message:
// "… needs scope full".
func requiredScope(text string) string {
	_, scope, _ := strings.Cut(text, "needs scope ")
	return scope
}
