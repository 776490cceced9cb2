package bap

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// stepActions are the methods that agent/act may run as a step. Others, such as
// agent/act itself, are refused.
var stepActions = []string{
	"action/click", "action/dblclick", "action/fill", "action/type", "action/press", "action/hover", "action/scroll", "action/select",
	"action/check", "action/uncheck", "action/clear", "action/upload", "action/drag",
	"page/navigate", "page/reload", "page/goBack", "page/goForward",
}

// actParams are the params of agent/act: 1 to mostSteps steps on one page.
type actParams struct {
	Steps                   []step
	StopOnFirstError        *bool // true when nil
	ContinueOnConditionFail bool
	Timeout                 millis
	PreObserve, PostObserve *observeParams
}

// step is one action of a sequence. OnError is "stop", "skip" or "retry".
type step struct {
	Label      string
	Action     string
	Params     json.RawMessage
	Condition  *condition
	OnError    string
	MaxRetries *int // attempts in all
	RetryDelay *millis
}

// condition is a state of an element that must come within Timeout before a step
// runs.
type condition struct {
	Selector selector
	State    string
	Timeout  millis
}

// The defaults of steps.
const (
	conditionTimeout = 5 * time.Second
	defaultAttempts  = 3
	defaultDelay     = 500 * time.Millisecond
	mostSteps        = 50
)

// check refuses the whole call if one of its steps is wrong, before the first step is
// done.
func (p *actParams) check() *failure {
	if n := len(p.Steps); n < 1 || n > mostSteps {
		return invalidParam("steps", "there are %d, and must be 1 to %d", n, mostSteps)
	}
	for i := range p.Steps {
		if f := p.Steps[i].check("steps[" + strconv.Itoa(i) + "]"); f != nil {
			return f
		}
	}
	for _, o := range []*observeParams{p.PreObserve, p.PostObserve} {
		if o == nil {
			continue
		}
		if f := o.check(); f != nil {
			return f
		}
	}
	return nil
}

// check checks one step and fills in the defaults. field is its place in the params,
// for the error.
func (s *step) check(field string) *failure {
	if !slices.Contains(stepActions, s.Action) {
		return invalidParam(field+".action", "%q is not allowed in agent/act: use %s", s.Action, strings.Join(stepActions, ", "))
	}
	if s.MaxRetries == nil {
		s.MaxRetries = new(defaultAttempts)
	}
	if s.RetryDelay == nil {
		s.RetryDelay = new(millis(defaultDelay))
	}
	if n := *s.MaxRetries; n < 1 || n > 5 {
		return invalidParam(field+".maxRetries", "must be 1 to 5")
	}
	if d := time.Duration(*s.RetryDelay); d < 100*time.Millisecond || d > 5*time.Second {
		return invalidParam(field+".retryDelay", "must be 100 to 5000")
	}
	if s.Params == nil {
		s.Params = []byte("{}")
	}
	if s.Params[0] != '{' {
		return invalidParam(field+".params", "must be an object")
	}
	if c := s.Condition; c != nil {
		if c.Timeout == 0 {
			c.Timeout = millis(conditionTimeout)
		}
		if f := cmp.Or(requireValue(field+".condition.state", c.State), c.Selector.element(field+".condition.selector")); f != nil {
			return f
		}
		if f := oneOf(field+".condition.state", &c.State, "visible", "enabled", "exists", "hidden", "disabled"); f != nil {
			return f
		}
	}
	return oneOf(field+".onError", &s.OnError, "stop", "skip", "retry")
}

// stepResult is the result of one step.
type stepResult struct {
	Step     int      `json:"step"`
	Label    string   `json:"label,omitempty"`
	Success  bool     `json:"success"`
	Result   any      `json:"result,omitempty"`
	Error    *failure `json:"error,omitempty"`
	Duration int64    `json:"duration"` // ms
	Retries  int      `json:"retries,omitempty"`
}

// actResult is the result of agent/act.
type actResult struct {
	Completed       int          `json:"completed"`
	Total           int          `json:"total"`
	Success         bool         `json:"success"`
	Results         []stepResult `json:"results"`
	Duration        int64        `json:"duration"` // ms
	FailedAt        *int         `json:"failedAt,omitempty"`
	PreObservation  *observation `json:"preObservation,omitempty"`
	PostObservation *observation `json:"postObservation,omitempty"`
}

// runSequence runs a sequence. A failed step is no failure of the call: its result says which
// step it was. A caller without the right to one of the steps gets none of them.
func runSequence(ctx context.Context, k *call, page *actions.Page, p actParams) (any, error) {
	for _, s := range p.Steps {
		if f := requireScope(k.c.caller.Scope, s.Action, k.c.srv.methods[s.Action].scope); f != nil {
			return nil, f
		}
	}
	if o := [...]bool{p.PreObserve != nil, p.PostObserve != nil}; o[0] || o[1] {
		if f := requireScope(k.c.caller.Scope, k.method, "observe:*"); f != nil {
			return nil, f
		}
	}
	limit, _, err := k.limit()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	out := actResult{Total: len(p.Steps), Results: []stepResult{}}
	out.PreObservation = k.mayObserve(ctx, page, p.PreObserve)
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	k.steps(inTime, page, p, &out)
	out.Success = out.Completed == out.Total
	out.PostObservation = k.mayObserve(ctx, page, p.PostObserve)
	out.Duration = time.Since(begun).Milliseconds()
	return out, nil
}

// mayObserve observes the page if that is wanted; nil if not. It has its own time,
// and an error only leaves the observation out: what was done stays done.
func (k *call) mayObserve(ctx context.Context, page *actions.Page, p *observeParams) *observation {
	if p == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	seen, err := k.observe(ctx, page, *p)
	if err != nil {
		return nil
	}
	return seen
}

// steps runs the steps one after the other, until one fails that stops the sequence
// or the time is over.
func (k *call) steps(ctx context.Context, page *actions.Page, p actParams, out *actResult) {
	stop := p.StopOnFirstError == nil || *p.StopOnFirstError
	for i, s := range p.Steps {
		begun := time.Now()
		r := stepResult{Step: i, Label: s.Label}
		unmet := k.unmet(ctx, page, s)
		if unmet != nil {
			r.Error = unmet
		} else {
			k.step(ctx, page, s, &r)
		}
		r.Success = r.Error == nil
		r.Duration = time.Since(begun).Milliseconds()
		out.Results = append(out.Results, r)
		switch {
		case r.Success:
			out.Completed++
		case s.OnError == "skip", unmet != nil && p.ContinueOnConditionFail:
		case stop, ctx.Err() != nil:
			out.FailedAt = &i
			return
		}
	}
}

// unmet is why a step's condition does not hold, nil if it does. It waits for the
// condition.
func (k *call) unmet(ctx context.Context, page *actions.Page, s step) *failure {
	c := s.Condition
	if c == nil {
		return nil
	}
	state := actions.ElementStateName(c.State)
	if c.State == "exists" {
		state = actions.Attached
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.Timeout))
	defer cancel()
	if _, err := page.WaitForSelector(ctx, c.Selector.Locator, actions.WaitOptions{State: state}); err != nil {
		return newFailure(codeInvalidParams, "Condition not met: %s for %s: %v", c.State, c.Selector.Locator, err)
	}
	return nil
}

// step runs one step, and runs it again after an error if OnError is "retry". The
// pause doubles with each attempt.
func (k *call) step(ctx context.Context, page *actions.Page, s step, r *stepResult) {
	attempts := 1
	if s.OnError == "retry" {
		attempts = *s.MaxRetries
	}
	one := &call{c: k.c, session: k.session, method: s.Action, params: onThis(page, s.Params)}
	delay := time.Duration(*s.RetryDelay)
	for {
		result, err := one.do(ctx, k.c.srv.methods[s.Action])
		if err == nil {
			r.Result, r.Error = result, nil
			if result == (none{}) {
				r.Result = nil
			}
			return
		}
		r.Error = failureOf(err, one.params)
		if r.Retries+1 >= attempts {
			return
		}
		select {
		case <-time.After(delay):
			r.Retries++
			delay *= 2
		case <-ctx.Done():
			return
		}
	}
}

// onThis names the sequence's page in the params of a step, unless they name another
// one.
func onThis(page *actions.Page, params json.RawMessage) json.RawMessage {
	if pageOf(params) != "" {
		return params
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return params
	}
	fields["pageId"] = encodeMessage(page.ID)
	return encodeMessage(fields)
}
