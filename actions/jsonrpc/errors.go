package jsonrpc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

// The codes of errors: those of JSON-RPC 2.0 (section 5.1), then the protocol's own.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNeedsLogin     = -32000
	codeWrongLogin     = -32001
	codeDenied         = -32002
	codeRateLimited    = -32003
	codeNotFound       = -32004
	codeTimeout        = -32005
	codeFailed         = -32006 // an action; also what is not in the table
)

// codes are the codes by the kind of error. A kind that is missing is codeFailed.
var codes = map[actions.Kind]int{
	actions.MalformedFrame:    codeParse,
	actions.InvalidEnvelope:   codeInvalidRequest,
	actions.UnknownVerb:       codeNoMethod,
	actions.InvalidArgument:   codeInvalidParams,
	actions.NotInitialized:    codeNeedsLogin,
	actions.Unauthenticated:   codeWrongLogin,
	actions.PermissionDenied:  codeDenied,
	actions.ConsentDenied:     codeDenied,
	actions.URLBlocked:        codeDenied,
	actions.ApprovalTimeout:   codeTimeout,
	actions.NavigationTimeout: codeTimeout,
	actions.EvalTimeout:       codeTimeout,
	actions.Timeout:           codeTimeout,
	actions.NoBrowser:         codeNotFound,
	actions.PageNotFound:      codeNotFound,
	actions.ContextNotFound:   codeNotFound,
	actions.FrameNotFound:     codeNotFound,
	actions.RateLimited:       codeRateLimited,
	actions.TargetClosed:      codeInternal,
	actions.ContextDestroyed:  codeInternal,
	actions.Internal:          codeInternal,
}

// retryable are the kinds of errors that another try may not meet.
var retryable = map[actions.Kind]bool{
	actions.NavigationTimeout: true, actions.EvalTimeout: true, actions.Timeout: true, actions.RateLimited: true,
	actions.NoBrowser: true, actions.ElementNotFound: true, actions.NotVisible: true, actions.NotEnabled: true,
	actions.ContextDestroyed: true, actions.Paused: true,
}

// newFailure makes an error of package actions in the adapter's own words.
func newFailure(k actions.Kind, format string, args ...any) *actions.Error {
	return &actions.Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// translateError is the one place where an error becomes what clients see. An internal
// error has no details: the log has them.
func translateError(err error) *rpcError {
	kind := actions.KindOf(err)
	code, ok := codes[kind]
	if !ok {
		code = codeFailed
	}
	text := err.Error()
	switch {
	case kind == actions.Internal:
		text = "Internal error: the hub's log says more"
	case code == codeInternal:
		text = "Internal error: " + text
	case kind == actions.InvalidArgument && !strings.HasPrefix(text, "Invalid params"):
		text = "Invalid params: " + strings.TrimPrefix(text, "bad request: ")
	case kind == actions.PageNotFound:
		text = tabNotFound(err)
	}
	return &rpcError{code, text, &errorData{kind, retryable[kind]}}
}

func tabNotFound(err error) string {
	if e, ok := errors.AsType[*actions.Error](err); ok && e.Details.PageID != "" {
		return "Tab not found: " + e.Details.PageID
	}
	return "Tab not found: there is none"
}
