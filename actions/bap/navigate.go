package bap

import (
	"cmp"
	"context"

	"github.com/cdphub/cdphub/actions"
)

// waitParams say how far a document must come.
type waitParams struct{ WaitUntil string }

func (p *waitParams) check() *failure {
	return oneOf("waitUntil", &p.WaitUntil, "load", "domcontentloaded", "networkidle", "commit")
}

// state is the load state that they mean.
func (p *waitParams) state() *actions.LoadState {
	s, err := actions.ParseLoadState(p.WaitUntil)
	if err != nil {
		panic(err) // check has passed
	}
	return &s
}

type navigateParams struct {
	waitParams
	URL     string
	Referer string
	Observe *observeParams
}

func (p *navigateParams) check() *failure {
	if f := cmp.Or(requireValue("url", p.URL), p.waitParams.check()); f != nil || p.Observe == nil {
		return f
	}
	return p.Observe.check()
}

// navigated is the result of page/navigate. Status is 0 and Headers is empty if the
// target does not report them, as a frame.
type navigated struct {
	URL         string            `json:"url"`
	Title       string            `json:"title"`
	Status      int               `json:"status"`
	Headers     map[string]string `json:"headers"`
	Observation *observation      `json:"observation,omitempty"`
}

// navigatePage is page/navigate, with an observation of the new page if the client asks
// for one.
func navigatePage(ctx context.Context, k *call, page *actions.Page, p navigateParams) (any, error) {
	n, err := page.Goto(ctx, p.URL, actions.GotoOptions{WaitUntil: p.state(), Referer: p.Referer})
	if err != nil {
		return nil, err
	}
	out := navigated{URL: n.URL, Title: n.Title, Status: n.Status, Headers: n.Headers}
	if out.Headers == nil {
		out.Headers = map[string]string{}
	}
	if p.Observe != nil {
		if out.Observation, err = k.observe(ctx, page, *p.Observe); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// evaluateParams are those of page/evaluate.
type evaluateParams struct{ Expression string }

func (p *evaluateParams) check() *failure { return requireValue("expression", p.Expression) }

// evaluateExpression is page/evaluate, which the profile privileged has by its words
// ("evaluation"), and no method of the reference serves.
func evaluateExpression(ctx context.Context, page *actions.Page, p evaluateParams) (any, error) {
	v, err := page.Evaluate(ctx, p.Expression, actions.EvaluateOptions{})
	if err != nil {
		return nil, err
	}
	return obj{"value": v.JSON, "type": v.Type}, nil
}

func reloadPage(ctx context.Context, page *actions.Page, p waitParams) error {
	_, err := page.Reload(ctx, p.state())
	return err
}

func goBack(ctx context.Context, page *actions.Page, p waitParams) error {
	_, err := page.GoBack(ctx, p.state())
	return err
}

func goForward(ctx context.Context, page *actions.Page, p waitParams) error {
	_, err := page.GoForward(ctx, p.state())
	return err
}

// frameInfo is a frame in frame/list.
type frameInfo struct {
	FrameID  string `json:"frameId"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	ParentID string `json:"parentFrameId,omitempty"`
	IsMain   bool   `json:"isMain"`
}

// listFrames is frame/list. The frame without a parent is the main one.
func listFrames(ctx context.Context, page *actions.Page, _ none) (any, error) {
	frames, err := page.Frames(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]frameInfo, len(frames))
	for i, f := range frames {
		list[i] = frameInfo{f.ID, f.Name, f.URL, f.Parent, f.Parent == ""}
	}
	return obj{"frames": list}, nil
}

type switchParams struct {
	FrameID  string
	Selector selector
	URL      string
}

// check refuses a call that names no frame, or names one in several ways.
func (p *switchParams) check() *failure {
	n := 0
	for _, given := range []bool{p.FrameID != "", p.Selector.Locator != nil, p.URL != ""} {
		if given {
			n++
		}
	}
	if n != 1 {
		return invalidParam("frameId", "set one of frameId, selector and url")
	}
	return p.Selector.maybe("selector")
}

func switchFrame(ctx context.Context, page *actions.Page, p switchParams) (any, error) {
	f, err := page.SetFrame(ctx, actions.FrameChoice{ID: p.FrameID, Element: p.Selector.Locator, URL: p.URL})
	if err != nil {
		return nil, err
	}
	return obj{"frameId": f.ID, "url": f.URL}, nil
}

func mainFrame(ctx context.Context, page *actions.Page, _ none) (any, error) {
	f, err := page.SetFrame(ctx, actions.FrameChoice{})
	if err != nil {
		return nil, err
	}
	return obj{"frameId": f.ID}, nil
}
