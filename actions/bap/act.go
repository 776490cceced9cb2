package bap

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// actionMethods act on a page. The first argument is the scope of BAP that the caller
// needs.
var actionMethods = map[string]method{
	"action/click":    pageAction("action:click", func(ctx context.Context, p *actions.Page, a clickParams) error { return a.click(ctx, p, 1) }),
	"action/dblclick": pageAction("action:click", func(ctx context.Context, p *actions.Page, a clickParams) error { return a.click(ctx, p, 2) }),
	"action/hover":    pageAction("action:click", hoverElement),
	"action/check": elementAction("action:click", func(ctx context.Context, p *actions.Page, a elementParams) error {
		return p.SetChecked(ctx, a.Selector.Locator, true)
	}),
	"action/uncheck": elementAction("action:click", func(ctx context.Context, p *actions.Page, a elementParams) error {
		return p.SetChecked(ctx, a.Selector.Locator, false)
	}),
	"action/type":   elementAction("action:type", typeText),
	"action/press":  pageAction("action:type", pressKey),
	"action/fill":   elementAction("action:fill", fillElement),
	"action/clear":  elementAction("action:fill", clearField),
	"action/scroll": pageAction("action:scroll", scrollPage),
	"action/select": elementAction("action:select", selectOption),
	"action/upload": elementAction("action:upload", uploadFiles),
	"action/drag":   pageAction("action:drag", dragElement),
	"dialog/handle": pageAction("action:click", handleDialog),

	"action/handoff":       onPage("action:handoff", requestHandoff),
	"action/handoffWait":   keepsTime(onPage("action:handoff", handoffWait)),
	"action/handoffCancel": onPage("action:handoff", handoffCancel),
}

// options are the options of most actions. Force skips the checks, Trial makes only
// the checks, and NoWaitAfter does not wait for a navigation that begins. The timeout
// is read by call.limit.
type options struct{ Force, Trial, NoWaitAfter bool }

// point is a place in an element.
type point struct{ X, Y float64 }

func (p *point) layer() *actions.Point {
	if p == nil {
		return nil
	}
	return &actions.Point{X: p.X, Y: p.Y}
}

type clickParams struct {
	Selector selector
	Options  struct {
		options
		Button     string
		ClickCount int
		Modifiers  []string
		Position   *point
	}
}

func (p *clickParams) check() *failure {
	if n := p.Options.ClickCount; n < 0 || n > 3 {
		return invalidParam("options.clickCount", "must be 1 to 3")
	}
	for i := range p.Options.Modifiers {
		if f := oneOf("options.modifiers", &p.Options.Modifiers[i], "Alt", "Control", "Meta", "Shift", "ControlOrMeta"); f != nil {
			return f
		}
	}
	return cmp.Or(p.Selector.pointed("selector"), oneOf("options.button", &p.Options.Button, "left", "right", "middle"))
}

// click clicks count times. A single click may ask for another number itself, with
// clickCount.
func (p *clickParams) click(ctx context.Context, page *actions.Page, count int) error {
	o := p.Options
	if count == 1 && o.ClickCount > 0 {
		count = o.ClickCount
	}
	_, err := page.Click(ctx, p.Selector.Locator, actions.ClickOptions{
		Button: o.Button, Count: count, Modifiers: o.Modifiers, Position: o.Position.layer(), Force: o.Force, Trial: o.Trial, NoWait: o.NoWaitAfter,
	})
	return err
}

// elementParams are the params of actions on one element that have no others.
type elementParams struct {
	Selector selector
	Options  options
}

func (p *elementParams) check() *failure { return p.Selector.element("selector") }

// trial makes the checks of an action, and reports whether nothing more was asked
// for.
func (p elementParams) trial(ctx context.Context, page *actions.Page) (bool, error) {
	if !p.Options.Trial {
		return false, nil
	}
	for _, state := range []actions.ElementStateName{actions.Visible, actions.Enabled} {
		if _, err := page.WaitForSelector(ctx, p.Selector.Locator, actions.WaitOptions{State: state}); err != nil {
			return true, err
		}
	}
	return true, nil
}

// elementAction is pageAction for an action that has elementParams: with Trial it ends after
// its checks.
func elementAction[P interface {
	trial(context.Context, *actions.Page) (bool, error)
}](scope string, f func(ctx context.Context, page *actions.Page, p P) error) method {
	return pageAction(scope, func(ctx context.Context, page *actions.Page, p P) error {
		if trial, err := p.trial(ctx, page); trial {
			return err
		}
		return f(ctx, page, p)
	})
}

type hoverParams struct {
	Selector selector
	Options  struct {
		options
		Position *point
	}
}

func (p *hoverParams) check() *failure { return p.Selector.pointed("selector") }

func hoverElement(ctx context.Context, page *actions.Page, p hoverParams) error {
	_, err := page.Hover(ctx, p.Selector.Locator, actions.HoverOptions{Position: p.Options.Position.layer(), Force: p.Options.Force})
	return err
}

type typeParams struct {
	elementParams
	Text    *string
	Options struct {
		Delay millis
		Clear bool
	}
}

// UnmarshalJSON implements json.Unmarshaler. Both structs have a member "options",
// which encoding/json would leave out as ambiguous: it is read into each.
func (p *typeParams) UnmarshalJSON(text []byte) error {
	type own typeParams
	if err := json.Unmarshal(text, (*own)(p)); err != nil {
		return err
	}
	return json.Unmarshal(text, &p.elementParams)
}

func (p *typeParams) check() *failure {
	return cmp.Or(requirePresent("text", p.Text != nil), p.elementParams.check())
}

func typeText(ctx context.Context, page *actions.Page, p typeParams) error {
	return page.Type(ctx, p.Selector.Locator, *p.Text, actions.TypeOptions{Delay: time.Duration(p.Options.Delay), Clear: p.Options.Clear})
}

type pressParams struct {
	Key      string
	Selector selector
}

func (p *pressParams) check() *failure {
	return cmp.Or(requireValue("key", p.Key), p.Selector.maybe("selector"))
}

func pressKey(ctx context.Context, page *actions.Page, p pressParams) error {
	return page.Press(ctx, p.Selector.Locator, p.Key, actions.PressOptions{})
}

type fillParams struct {
	elementParams
	Value *string
}

func (p *fillParams) check() *failure {
	return cmp.Or(requirePresent("value", p.Value != nil), p.elementParams.check())
}

func fillElement(ctx context.Context, page *actions.Page, p fillParams) error {
	return page.Fill(ctx, p.Selector.Locator, *p.Value, actions.FillOptions{Force: p.Options.Force})
}

func clearField(ctx context.Context, page *actions.Page, p elementParams) error {
	return page.Clear(ctx, p.Selector.Locator, actions.FillOptions{Force: p.Options.Force})
}

type scrollParams struct {
	Selector selector
	Options  struct {
		Direction string
		Amount    amount
	}
}

// amount is how far to scroll: a number of CSS pixels, or the word "page";
// "toElement" is for a selector.
type amount struct {
	pixels float64
	word   string
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *amount) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.word) == nil && (a.word == "page" || a.word == "toElement" || bytes.Equal(text, null)) {
		return nil
	}
	if json.Unmarshal(text, &a.pixels) != nil || a.pixels < 0 {
		return invalidParam("options.amount", "must be pixels, page or toElement")
	}
	return nil
}

func (p *scrollParams) check() *failure {
	if p.Options.Amount.word == "toElement" && p.Selector.Locator == nil {
		return invalidParam("selector", "is missing: toElement needs it")
	}
	return cmp.Or(oneOf("options.direction", &p.Options.Direction, "down", "up", "left", "right"), p.Selector.maybe("selector"))
}

// scrollStep is how far a scroll without an amount goes, in CSS pixels.
const scrollStep = 300

// directions are the signs of the distances, to the right and down.
var directions = map[string][2]float64{"down": {0, 1}, "up": {0, -1}, "left": {-1, 0}, "right": {1, 0}}

// scrollPage is action/scroll. With a selector it brings the element into view, else it
// scrolls the page.
func scrollPage(ctx context.Context, page *actions.Page, p scrollParams) error {
	if p.Selector.Locator != nil {
		return page.ScrollIntoView(ctx, p.Selector.Locator)
	}
	sign := directions[p.Options.Direction]
	if p.Options.Amount.word == "page" {
		return page.Scroll(ctx, nil, actions.Scroll{DX: sign[0], DY: sign[1], Pages: 1})
	}
	by := cmp.Or(p.Options.Amount.pixels, scrollStep)
	return page.Scroll(ctx, nil, actions.Scroll{DX: sign[0] * by, DY: sign[1] * by})
}

type selectParams struct {
	elementParams
	Values names
}

func (p *selectParams) check() *failure {
	return cmp.Or(requirePresent("values", p.Values != nil), p.elementParams.check())
}

func selectOption(ctx context.Context, page *actions.Page, p selectParams) error {
	_, err := page.SelectOption(ctx, p.Selector.Locator, p.Values)
	return err
}

type uploadParams struct {
	elementParams
	Files []struct {
		Name, MIMEType string
		Buffer         []byte
	}
}

func (p *uploadParams) check() *failure {
	for _, f := range p.Files {
		if f.Name == "" {
			return invalidParam("files", "a file has no name")
		}
	}
	return cmp.Or(requirePresent("files", p.Files != nil), p.elementParams.check())
}

// uploadFiles is action/upload. The files come within the message, in base64: a client has
// no access to files of the hub's machine.
func uploadFiles(ctx context.Context, page *actions.Page, p uploadParams) error {
	list := make([]actions.File, len(p.Files))
	for i, f := range p.Files {
		list[i] = actions.File{Name: f.Name, MIMEType: f.MIMEType, Data: f.Buffer}
	}
	return page.SetInputFiles(ctx, p.Selector.Locator, list)
}

type dragParams struct{ Source, Target place }

func (p *dragParams) check() *failure {
	return cmp.Or(p.Source.pointed("source"), p.Target.pointed("target"))
}

func dragElement(ctx context.Context, page *actions.Page, p dragParams) error {
	return page.DragTo(ctx, p.Source.Locator, p.Target.Locator)
}

type dialogParams struct{ Action, PromptText string }

func (p *dialogParams) check() *failure {
	return cmp.Or(requireValue("action", p.Action), oneOf("action", &p.Action, "accept", "dismiss"))
}

// handleDialog sets the answer to the next dialog of the page. It must come before
// the action that opens the dialog.
func handleDialog(ctx context.Context, page *actions.Page, p dialogParams) error {
	return page.ArmDialog(ctx, actions.DialogAnswer{Accept: p.Action == "accept", Text: p.PromptText})
}
