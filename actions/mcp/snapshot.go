package mcp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// lookTools are those that change nothing.
var lookTools = []tool{
	define("browser_snapshot", "Read the page", "Shows the accessibility tree of the page, with refs of its elements for other tools. Better than a screenshot.", reading, snapshot),
	define("browser_find", "Find in the page", "Shows the parts of the page's accessibility tree that have a text, each with what it lies in.", reading, find),
	define("browser_take_screenshot", "Take a screenshot", "Takes a picture of the page. To act on elements use browser_snapshot.", reading, screenshot),
	define("browser_console_messages", "Read the console", "Lists what the page has written to the console.", modal|reading, consoleMessages),
	define("browser_network_requests", "List requests", "Lists the latest requests of the page.", modal|reading, networkRequests),
}

type snapshotArgs struct {
	onPage
	Target string `json:"target,omitempty" jsonschema:"An element to show alone: a ref of the page snapshot, or a selector that matches it alone"`
	Depth  int    `json:"depth,omitempty" jsonschema:"How many levels of the tree to show; all when left out"`
	Boxes  bool   `json:"boxes,omitempty" jsonschema:"Show where each element is, as [box=x,y,width,height] in CSS pixels of the viewport"`
}

func snapshot(ctx context.Context, c *call, in snapshotArgs) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	o := actions.YAMLOptions{Boxes: in.Boxes}
	if in.Target != "" {
		o.Root = locate(in.Target)
	}
	s, err := c.page.SnapshotYAML(ctx, o)
	if err != nil {
		return err
	}
	info := c.page.Info()
	info.URL, info.Title = s.URL, s.Title
	c.learn(info)
	c.header(info, 0, c.written(c.page))
	if c.snapshot = s.Text; in.Depth > 0 {
		c.snapshot = shallow(s.Text, in.Depth)
	}
	if c.snapshot == "" {
		c.say("The page shows nothing.")
	}
	return nil
}

// depthOf is at which level of a snapshot a line stands, from 0.
func depthOf(line string) int { return (len(line) - len(strings.TrimLeft(line, " "))) / 2 }

// shallow keeps the first levels of a snapshot.
func shallow(text string, levels int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if depthOf(line) < levels {
			b.WriteString(line)
		}
	}
	return b.String()
}

type findArgs struct {
	onPage
	Text  string `json:"text,omitempty" jsonschema:"A text, in any case; or give regex"`
	Regex string `json:"regex,omitempty" jsonschema:"A regular expression (RE2), as error or /error/i"`
}

func find(ctx context.Context, c *call, in findArgs) error {
	pattern, err := in.pattern()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	s, err := c.page.SnapshotYAML(ctx, actions.YAMLOptions{})
	if err != nil {
		return err
	}
	lines, n := matching(s.Text, pattern)
	c.say("%d matches", n)
	c.snapshot = strings.Join(lines, "\n")
	return nil
}

func (in findArgs) pattern() (*regexp.Regexp, error) {
	if (in.Text == "") == (in.Regex == "") {
		return nil, invalid("one of text and regex must be given")
	}
	expression := "(?i)" + regexp.QuoteMeta(in.Text)
	if in.Regex != "" {
		expression = in.Regex
		if inner, ok := strings.CutSuffix(expression, "/i"); ok && strings.HasPrefix(inner, "/") {
			expression = "(?i)" + inner[1:]
		} else if len(expression) > 1 && strings.HasPrefix(expression, "/") && strings.HasSuffix(expression, "/") {
			expression = expression[1 : len(expression)-1]
		}
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, invalid(fmt.Sprintf("regex: %v", err))
	}
	return re, nil
}

// maxMatches is how many matches browser_find shows.
const maxMatches = 50

// matching keeps the lines that match and those that they lie in.
func matching(text string, re *regexp.Regexp) (lines []string, n int) {
	var path []string // from the root to the line before
	shown := 0        // how many of path have been printed
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		depth := min(depthOf(line), len(path))
		path = append(path[:depth], line)
		shown = min(shown, depth)
		if !re.MatchString(line) {
			continue
		}
		if n++; n > maxMatches {
			continue
		}
		lines = append(lines, path[shown:]...)
		shown = len(path)
	}
	return lines, n
}

type screenshotArgs struct {
	onPage
	Element  string `json:"element,omitempty" jsonschema:"What the element is, in words for people"`
	Target   string `json:"target,omitempty" jsonschema:"An element to show alone: a ref of the page snapshot, or a selector that matches it alone"`
	Type     string `json:"type,omitempty" jsonschema:"png, jpeg or webp; png when left out"`
	FullPage bool   `json:"fullPage,omitempty" jsonschema:"The whole page instead of what is in view"`
	Scale    string `json:"scale,omitempty" jsonschema:"css for one pixel of the picture for each of CSS, or device; css when left out"`
}

func screenshot(ctx context.Context, c *call, in screenshotArgs) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	o := actions.ScreenshotOptions{Format: in.Type, FullPage: in.FullPage}
	switch in.Scale {
	case "", "css":
		o.CSSPixels = true
	case "device":
	default:
		return invalid(fmt.Sprintf("the scale %q: it is css or device", in.Scale))
	}
	if in.Target != "" {
		if in.FullPage {
			return invalid("target and fullPage exclude one another")
		}
		o.Element = locate(in.Target)
	}
	shot, err := c.page.Screenshot(ctx, o)
	if err != nil {
		return err
	}
	c.say("A picture of %d × %d pixels", shot.Width, shot.Height)
	c.picture = &sdk.ImageContent{Data: shot.Data, MIMEType: "image/" + shot.Format}
	return nil
}

type consoleArgs struct {
	onPage
	Level string `json:"level,omitempty" jsonschema:"error, warning, info or debug, each with those before it; info when left out"`
	All   bool   `json:"all,omitempty" jsonschema:"Those of earlier documents of the page too"`
}

func consoleMessages(_ context.Context, c *call, in consoleArgs) error {
	if in.Level == "" {
		in.Level = "info"
	}
	level, ok := levels[in.Level]
	if !ok {
		return invalid(fmt.Sprintf("the level %q: it is error, warning, info or debug", in.Level))
	}
	written := c.written(c.page)
	if written == nil {
		written = new(console)
	}
	c.lines = written.list(level, in.All)
	for i, line := range c.lines {
		c.lines[i] = c.page.Tell(line)
	}
	return nil
}

type requestsArgs struct {
	onPage
	Static bool   `json:"static,omitempty" jsonschema:"Pictures, fonts, styles and scripts that were loaded, too"`
	Filter string `json:"filter,omitempty" jsonschema:"A regular expression (RE2) that URLs must match"`
}

// static are the types of requests that are mostly not of interest.
var static = []string{"image", "font", "stylesheet", "script", "media", "manifest"}

func networkRequests(ctx context.Context, c *call, in requestsArgs) error {
	filter, err := regexp.Compile(in.Filter)
	if err != nil {
		return invalid(fmt.Sprintf("filter: %v", err))
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	list, err := c.page.Requests(ctx, 0)
	if err != nil {
		return err
	}
	for i, r := range list {
		if !filter.MatchString(r.URL) || !in.Static && r.Error == "" && r.Status < 400 && slices.Contains(static, r.ResourceType) {
			continue
		}
		outcome := ""
		switch {
		case r.Error != "":
			outcome = " => [FAILED] " + r.Error
		case r.Status != 0:
			outcome = fmt.Sprintf(" => [%d]", r.Status)
		}
		c.say("%d. [%s] %s%s", i+1, r.Method, r.URL, outcome)
	}
	if len(c.lines) == 0 {
		c.say("No requests")
	}
	return nil
}
