package mcp

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// pageTools are those that go places.
var pageTools = []tool{
	define("browser_navigate", "Go to a URL", "Goes to a URL, in a new page if there is none.", changes|pageless, navigate),
	define("browser_navigate_back", "Go back", "Goes back to the page before, in the history of the page.", changes, back),
	define("browser_wait_for", "Wait", "Waits until a text appears or disappears, or for a time.", shows|reading, waitFor),
	define("browser_resize", "Resize", "Changes the size of the page's viewport.", changes, resize),
	define("browser_handle_dialog", "Answer a dialog", "Answers the dialog that is open.", changes|modal, handleDialog),
}

type navigateArgs struct {
	onPage
	URL string `json:"url" jsonschema:"Where to"`
}

func navigate(ctx context.Context, c *call, in navigateArgs) error {
	c.calm = true
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	if c.page == nil {
		return c.newTab(ctx, in.URL)
	}
	n, err := c.page.Goto(ctx, in.URL, actions.GotoOptions{Untitled: true}) // the snapshot tells
	if n.Committed && actions.KindOf(err) == actions.NavigationTimeout {
		c.say("The page has not loaded all of its parts within %v.", loadTimeout)
		err = nil
	}
	c.status = n.Status
	return err
}

func back(ctx context.Context, c *call, _ none) error {
	c.calm = true
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	n, err := c.page.GoBack(ctx, nil)
	if err == nil && !n.Moved {
		c.say("There is no page before this one.")
	}
	return err
}

// longestWait is how long browser_wait_for waits at most.
const longestWait = 30 * time.Second

type waitArgs struct {
	onPage
	Time     float64 `json:"time,omitempty" jsonschema:"How many seconds to wait, at most 30"`
	Text     string  `json:"text,omitempty" jsonschema:"The text to wait for"`
	TextGone string  `json:"textGone,omitempty" jsonschema:"The text to wait for to disappear"`
}

func waitFor(ctx context.Context, c *call, in waitArgs) error {
	c.calm = true
	if in.Time < 0 || in.Time == 0 && in.Text == "" && in.TextGone == "" {
		return invalid("one of time, text and textGone must be given")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*longestWait)
	defer cancel()
	if in.Time > 0 {
		select {
		case <-time.After(min(time.Duration(in.Time*float64(time.Second)), longestWait)):
		case <-ctx.Done():
			return ctx.Err()
		}
		c.say("Waited for %g s", min(in.Time, longestWait.Seconds()))
	}
	ctx, stop := context.WithTimeout(ctx, longestWait)
	defer stop()
	for _, w := range []struct {
		text  string
		state actions.ElementStateName
		said  string
	}{{in.TextGone, actions.Hidden, "Gone is %q"}, {in.Text, actions.Visible, "There is %q"}} {
		if w.text == "" {
			continue
		}
		if _, err := c.page.WaitForSelector(ctx, actions.First{Locator: actions.Text{Text: w.text}}, actions.WaitOptions{State: w.state}); err != nil {
			return err
		}
		c.say(w.said, w.text)
	}
	return nil
}

type resizeArgs struct {
	onPage
	Width  int `json:"width" jsonschema:"In CSS pixels"`
	Height int `json:"height" jsonschema:"In CSS pixels"`
}

func resize(ctx context.Context, c *call, in resizeArgs) error {
	const most = 10_000
	if in.Width < 1 || in.Height < 1 || in.Width > most || in.Height > most {
		return invalid("width and height must be 1 to 10000")
	}
	return c.page.Emulate(ctx, actions.Emulation{Viewport: &actions.Viewport{Width: in.Width, Height: in.Height}})
}

type dialogArgs struct {
	onPage
	Accept     bool   `json:"accept" jsonschema:"Whether to accept it"`
	PromptText string `json:"promptText,omitempty" jsonschema:"The answer to a prompt"`
}

func handleDialog(ctx context.Context, c *call, in dialogArgs) error {
	return c.page.AnswerDialog(ctx, actions.DialogAnswer{Accept: in.Accept, Text: in.PromptText})
}
