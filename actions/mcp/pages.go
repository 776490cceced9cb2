package mcp

import (
	"context"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// pageTools are the tools that go to pages.
var pageTools = []tool{
	defineTool("browser_navigate", "Go to a URL", "Goes to a URL, in a new page if there is none.", changes|pageless|loadTime, navigatePage),
	defineTool("browser_navigate_back", "Go back", "Goes back to the page before, in the history of the page.", changes|loadTime, navigateBack),
	defineTool("browser_wait_for", "Wait", "Waits until a text appears or disappears, or for a time.", shows|reading, waitFor),
	defineTool("browser_resize", "Resize", "Changes the size of the page's viewport.", changes, resizePage),
	defineTool("browser_emulate_media", "Emulate media features", "Changes how the page is shown: dark, for print, with less motion.", changes, emulateMedia),
	defineTool("browser_handle_dialog", "Answer a dialog", "Answers the dialog that is open.", changes|modal, handleDialog),
}

type navigateArgs struct {
	onPage
	URL string `json:"url" jsonschema:"Where to; https when it has no scheme"`
}

// bare is an address without a scheme: a name with a dot or a port, or an IP address.
// A number after a colon is a port: no scheme is followed by one.
var bare = regexp.MustCompile(`^(localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-fA-F:]+\]|[\w-]+:\d+)(?::\d+)?\.?(?:[/?#].*)?$`)

// completeAddress adds the scheme to an address without one: http for this machine and for
// IP addresses, which rarely have a certificate, https for all others.
func completeAddress(address string) string {
	address = strings.TrimSpace(address)
	if !bare.MatchString(address) {
		return address
	}
	host, _, _ := strings.Cut(address, "/")
	if u, err := url.Parse("http://" + address); err == nil {
		host = u.Hostname()
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host) != nil {
		return "http://" + address
	}
	return "https://" + address
}

// navigatePage is browser_navigate. A page that has begun to load, but is not complete in
// time, is no error: the client reads what is there.
func navigatePage(ctx context.Context, c *call, in navigateArgs) error {
	c.calm = true
	if c.page == nil {
		if c.page = c.app(ctx); c.page == nil {
			return c.newTab(ctx, in.URL)
		}
	}
	c.makeCurrent(c.page.ID)
	address := completeAddress(in.URL)
	c.ran("await page.goto(%s);", jsLiteral(address))
	n, err := c.page.Goto(ctx, address, actions.GotoOptions{Untitled: true}) // the snapshot tells
	if n.Committed && actions.KindOf(err) == actions.NavigationTimeout {
		c.say("The page has not loaded all of its parts within %v.", loadTimeout)
		err = nil
	}
	c.status = n.Status
	return err
}

// navigateBack is browser_navigate_back.
func navigateBack(ctx context.Context, c *call, _ none) error {
	c.calm = true
	c.ran("await page.goBack();")
	n, err := c.page.GoBack(ctx, nil)
	if err == nil && !n.Moved {
		c.say("There is no page before this one.")
	}
	return err
}

// longestWait is the limit of browser_wait_for, for the time and for the texts each.
const longestWait = 30 * time.Second

type waitArgs struct {
	onPage
	Time     float64 `json:"time,omitempty" jsonschema:"How many seconds to wait, at most 30"`
	Text     string  `json:"text,omitempty" jsonschema:"The text to wait for"`
	TextGone string  `json:"textGone,omitempty" jsonschema:"The text to wait for to disappear"`
}

// waitFor is browser_wait_for. What is given is waited for in this order: the time,
// the text that disappears, the text that appears.
func waitFor(ctx context.Context, c *call, in waitArgs) error {
	c.calm = true
	if in.Time < 0 || in.Time == 0 && in.Text == "" && in.TextGone == "" {
		return invalidArgument("one of time, text and textGone must be given")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*longestWait)
	defer cancel()
	if in.Time > 0 {
		select {
		case <-time.After(min(time.Duration(in.Time*float64(time.Second)), longestWait)):
		case <-ctx.Done():
			return ctx.Err()
		}
		seconds := min(in.Time, longestWait.Seconds())
		c.say("Waited for %g s", seconds)
		c.ran("await page.waitForTimeout(%g);", seconds*1000)
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
		c.ran("await page.getByText(%s).first().waitFor({ state: %s });", jsLiteral(w.text), jsLiteral(string(w.state)))
	}
	return nil
}

type resizeArgs struct {
	onPage
	Width  float64 `json:"width" jsonschema:"In CSS pixels"`
	Height float64 `json:"height" jsonschema:"In CSS pixels"`
}

// resizePage is browser_resize. Sizes are in CSS pixels.
func resizePage(ctx context.Context, c *call, in resizeArgs) error {
	const most = 10_000
	if in.Width < 1 || in.Height < 1 || in.Width > most || in.Height > most {
		return invalidArgument("width and height must be 1 to 10000")
	}
	size := actions.Viewport{Width: int(in.Width), Height: int(in.Height)}
	c.ran("await page.setViewportSize({ width: %d, height: %d });", size.Width, size.Height)
	return c.page.Emulate(ctx, actions.Emulation{Viewport: &size})
}

type dialogArgs struct {
	onPage
	Accept     bool   `json:"accept" jsonschema:"Whether to accept it"`
	PromptText string `json:"promptText,omitempty" jsonschema:"The answer to a prompt"`
}

func handleDialog(ctx context.Context, c *call, in dialogArgs) error {
	return c.page.AnswerDialog(ctx, actions.DialogAnswer{Accept: in.Accept, Text: in.PromptText})
}
