package hooks

import (
	"errors"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// codes are the names of errors by their kind. A Timeout has the name that its hook
// says, see hook.late.
var codes = map[actions.Kind]string{
	actions.MalformedFrame:    "InvalidParams",
	actions.InvalidEnvelope:   "InvalidParams",
	actions.UnknownVerb:       "HookNotFound",
	actions.InvalidArgument:   "InvalidParams",
	actions.PermissionDenied:  "CapabilityDenied",
	actions.ConsentDenied:     "EvalConsentDenied",
	actions.ApprovalTimeout:   "EvalConsentDenied",
	actions.URLBlocked:        "UrlBlocked",
	actions.NoBrowser:         "BrowserNotFound",
	actions.PageNotFound:      "BrowserNotFound",
	actions.TargetClosed:      "BrowserNotFound",
	actions.ContextNotFound:   "InvalidParams",
	actions.FrameNotFound:     "InvalidParams",
	actions.ElementNotFound:   "ElementNotFound",
	actions.StaleRef:          "ElementNotFound",
	actions.NotVisible:        "ElementNotVisible",
	actions.Obscured:          "ElementNotVisible",
	actions.NotEnabled:        "ElementDisabled",
	actions.NavigationFailed:  "NavigateFailed",
	actions.NavigationTimeout: "NavigateTimeout",
	actions.EvalException:     "EvalError",
	actions.EvalTimeout:       "EvalTimeout",
	actions.Unsupported:       "Unsupported",
	actions.RateLimited:       "RateLimited",
	actions.Paused:            "Paused",
	actions.LimitExceeded:     "InvalidParams",
}

// statuses are the HTTP statuses by an error's name; 500 for other names.
var statuses = map[string]int{
	"InvalidParams":     http.StatusBadRequest,
	"CapabilityDenied":  http.StatusForbidden,
	"EvalConsentDenied": http.StatusForbidden,
	"UrlBlocked":        http.StatusForbidden,
	"BrowserNotFound":   http.StatusNotFound,
	"ElementNotFound":   http.StatusNotFound,
	"HookNotFound":      http.StatusNotFound,
	"ElementNotVisible": http.StatusConflict,
	"ElementDisabled":   http.StatusConflict,
	"Paused":            http.StatusConflict,
	"EvalError":         http.StatusUnprocessableEntity,
	"RateLimited":       http.StatusTooManyRequests,
	"NavigateFailed":    http.StatusBadGateway,
	"Unsupported":       http.StatusNotImplemented,
	"EvalTimeout":       http.StatusGatewayTimeout,
	"NavigateTimeout":   http.StatusGatewayTimeout,
}

// failure is an error as callers see it.
type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`

	retryAfter time.Duration // 0 where that does not matter
}

// Error implements error.
func (f *failure) Error() string { return f.Message }

// failureOf makes the error of a hook what callers see. late is the name of a timeout
// of that hook; "" for the usual one.
func failureOf(err error, late string) *failure {
	kind := actions.KindOf(err)
	code, known := codes[kind]
	switch {
	case kind == actions.Timeout && late != "":
		code = late
	case !known:
		code = "Internal"
	}
	f := &failure{Code: code, Message: err.Error()}
	if e, ok := errors.AsType[*actions.Error](err); ok {
		f.retryAfter = e.Details.RetryAfter
		if e.Details.Unsupported != "" {
			f.Details = map[string]any{"unsupported": e.Details.Unsupported, "targetKind": e.Details.TargetKind}
		}
	}
	return f
}

func (f *failure) status() int {
	if s, ok := statuses[f.Code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

func newError(k actions.Kind, text string) error { return &actions.Error{Kind: k, Message: text} }

// invalidParam is the error for a wrong parameter.
func invalidParam(text string) error { return newError(actions.InvalidArgument, "bad request: "+text) }
