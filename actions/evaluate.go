package actions

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// Value is what an expression has come to.
type Value struct {
	JSON json.RawMessage // null for what JSON does not know
	Type string          // JavaScript's typeof
}

// EvaluateOptions are for Evaluate.
type EvaluateOptions struct {
	// Function says that the expression is a function, to be called with what
	// Element matches, if there is one.
	Function bool
	Element  Locator
}

// decode reads the value, and reports whether there was one.
func (e *evaluated) decode(v any) bool {
	value := remoteValue(e.Result.Value, e.Result.Subtype)
	return e.ExceptionDetails == nil && value != nil && wire.Decode(value, v) == nil
}

// exception is the first line of what was thrown, or "". The other lines are a stack,
// which names scripts of the page.
func (e *evaluated) exception() string {
	d := e.ExceptionDetails
	if d == nil {
		return ""
	}
	text := d.Text
	if d.Exception != nil {
		if text = d.Exception.Description; text == "" {
			text = strings.Trim(string(remoteValue(d.Exception.Value, d.Exception.Subtype)), `"`)
		}
	}
	text, _, _ = strings.Cut(cutText(text, longestFailure), "\n")
	if text == "" {
		text = "exception"
	}
	return text
}

// absence is the error of a page without an agent. Its Host answers with an exception, for
// Clients that try again after any other failure.
func (e *evaluated) absence() error {
	text, is := strings.CutPrefix(e.exception(), "Error: ")
	if !is || !strings.HasPrefix(text, notConnected) {
		return nil
	}
	return wire.ServerError(text)
}

// Evaluate runs an expression in the page's main world and waits for the promise that
// it may come to. A value that JSON does not know, such as a function or a circular
// object, is null. Errors: EvalException, EvalTimeout, PermissionDenied with
// Options.Strict, LimitExceeded for values beyond MaxValue (bytes of JSON).
func (p *Page) Evaluate(ctx context.Context, expression string, o EvaluateOptions) (Value, error) {
	if p.b.strict {
		return Value{}, newError(PermissionDenied, "permission denied: with a strict URL policy nothing is evaluated")
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var out evaluated
	err := p.evaluate(ctx, expression, o, &out)
	switch {
	case err == nil:
	case KindOf(err) == Timeout && errors.Is(ctx.Err(), context.DeadlineExceeded):
		p.terminateScript()
		return Value{}, newError(EvalTimeout, "evaluation timed out")
	// The words of V8's inspector for values that it cannot copy by value.
	case strings.Contains(err.Error(), "returned by value"), strings.Contains(err.Error(), "reference chain is too long"):
		return Value{JSON: json.RawMessage("null"), Type: "object"}, nil
	default:
		return Value{}, err
	}
	if text := out.exception(); text != "" {
		return Value{}, newError(EvalException, "evaluation failed: %s", text)
	}
	if len(out.Result.Value) > MaxValue {
		return Value{}, newError(LimitExceeded, "limit exceeded: the value has %d bytes, at most %d are returned", len(out.Result.Value), MaxValue)
	}
	v := Value{JSON: remoteValue(out.Result.Value, out.Result.Subtype), Type: out.Result.Type}
	if v.JSON == nil { // undefined, NaN, a bigint
		v.JSON = json.RawMessage("null")
	}
	return v, nil
}

func (p *Page) evaluate(ctx context.Context, expression string, o EvaluateOptions, out *evaluated) error {
	p.mu.Lock()
	inMain := p.frames.chosen == ""
	p.mu.Unlock()
	switch {
	case o.Function && o.Element == nil && inMain:
		// The line break ends a line comment at the end of the expression.
		expression = "(" + expression + "\n)()"
	case o.Function:
		return p.callFunction(ctx, expression, o.Element, out)
	case !inMain:
		return p.callFunction(ctx, "()=>(\n"+expression+"\n)", nil, out)
	}
	// A gesture lets the script do what needs one, such as playing sound (HTML
	// Standard, "transient activation").
	params := obj{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}
	s, err := p.attachToDocument(ctx)
	if err != nil {
		return err
	}
	return p.callCommands(ctx, command{s, "Runtime.evaluate", params, out})
}

// terminateScript stops a script that may run for ever, where the target can
// (Runtime.terminateExecution). If none runs any more, the command would stop the
// next one, which may be the page's. So a harmless script of our own follows at once.
func (p *Page) terminateScript() {
	p.mu.Lock()
	session, kind := p.session, p.kind
	p.mu.Unlock()
	// A Frame Agent runs in the page's own thread and cannot stop it.
	if kind != BrowserTarget || session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), terminating)
	defer cancel()
	_, _ = sendAll(ctx, p.b.client, command{session, "Runtime.terminateExecution", nil, nil}, command{session, "Runtime.evaluate", obj{"expression": "0"}, nil})
}

// terminating is how long stopping a script may take.
const terminating = 2 * time.Second
