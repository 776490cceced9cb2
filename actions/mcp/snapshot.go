package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// lookTools are the tools that change nothing.
var lookTools = []tool{
	defineTool("browser_snapshot", "Read the page", "Shows the accessibility tree of the page, with refs of its elements for other tools. Better than a screenshot.", reading|readTime|mayShow, takeSnapshot),
	defineTool("browser_find", "Find in the page", "Shows the parts of the page's accessibility tree that have a text, each with what it lies in.", reading|readTime, findText),
	defineTool("browser_take_screenshot", "Take a screenshot", "Takes a picture of the page. To act on elements use browser_snapshot.", reading|readTime, takeScreenshot),
	defineTool("browser_console_messages", "Read the console", "Lists what the page has written to the console.", modal|reading, consoleMessages),
}

// filename is the argument of tools that can save what they return.
type filename struct {
	Filename string `json:"filename,omitempty" jsonschema:"A file to save this to instead"`
}

type snapshotArgs struct {
	onPage
	filename
	Target string  `json:"target,omitempty" jsonschema:"Only this element: a ref or selector"`
	Depth  float64 `json:"depth,omitempty" jsonschema:"Levels of the tree; all when left out"`
	Limit  float64 `json:"limit,omitempty" jsonschema:"Characters; 20000 when left out"`
	Boxes  bool    `json:"boxes,omitempty" jsonschema:"Add [box=x,y,width,height] in CSS pixels"`
}

// takeSnapshot is browser_snapshot. A file gets all of it.
func takeSnapshot(ctx context.Context, c *call, in snapshotArgs) error {
	if in.Limit < 0 {
		return invalidArgument("limit must be 1 or more")
	}
	most := cmp.Or(int(min(in.Limit, actions.MaxSnapshot)), c.looks)
	if c.mode.Kind == "" {
		c.mode.Kind = actions.FullSnapshot
	}
	if in.Filename == "" && in.Depth == 0 && !in.Boxes {
		look := actions.LookOptions{Mode: c.mode, Most: most}
		if in.Target != "" {
			look.Root = locatorOf(in.Target)
		}
		return c.showPage(ctx, look)
	}
	if c.mode.Kind != actions.FullSnapshot {
		return invalidArgument("snapshot: " + string(c.mode.Kind) + " excludes depth, boxes and filename")
	}
	if c.mode.Tokens > 0 {
		most = c.mode.Characters()
	}
	o := actions.YAMLOptions{Boxes: in.Boxes}
	if in.Filename == "" && in.Depth == 0 {
		o.Most = bytesFor(most)
	}
	if in.Target != "" {
		o.Root = locatorOf(in.Target)
	}
	s, err := c.page.SnapshotYAML(ctx, o)
	if err != nil {
		return err
	}
	c.describe(s, o.Root == nil)
	if in.Depth > 0 {
		c.snapshot = cutLevels(s.Text, int(in.Depth))
	}
	if c.snapshot == "" {
		c.say("The page shows nothing.")
	}
	if in.Filename != "" {
		c.link, err = c.deliver("Snapshot", in.Filename, "text/yaml", []byte(c.snapshot))
		return err
	}
	c.snapshot, c.cut = cutLook(c.snapshot, most)
	return nil
}

// bytesFor is how many bytes of a snapshot are enough for so many characters of it.
func bytesFor(characters int) int {
	return min(characters, actions.MaxSnapshot/utf8.UTFMax) * utf8.UTFMax
}

// partMark begins the last line of a snapshot that is only the first part of one.
const partMark = "# cut: "

// cutLook cuts the snapshot in an answer behind its last node that fits. most is in characters. note
// says that it is cut, and what to do; it is "" where all of it fits.
func cutLook(text string, most int) (kept, note string) {
	end, n, nodes, all := 0, 0, 0, 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, partMark) {
			return text[:end], cutNote("the first " + english.Plural(nodes, "node", ""))
		}
		all++
		if n += utf8.RuneCountInString(line); n <= most {
			end += len(line)
			nodes++
		}
	}
	if nodes == all {
		return text, ""
	}
	return text[:end], cutNote(fmt.Sprintf("%d of %d nodes", nodes, all))
}

func cutNote(shown string) string {
	return "Cut: " + shown + " are shown. Find others with browser_find. browser_snapshot shows a part with target or depth, more with limit, and puts all of it into a file with filename."
}

// cutNoteOf says what a look does not show, and where most of that is.
func cutNoteOf(l *actions.Cut) string {
	if l == nil {
		return ""
	}
	var most []string
	for _, left := range l.Most {
		if left.Ref != "" {
			most = append(most, fmt.Sprintf("%d in %s", left.Lines, left.Ref))
		}
	}
	shown := fmt.Sprintf("%d of %d nodes", l.Shown, l.All)
	if l.More {
		shown = fmt.Sprintf("%d of the first %s", l.Shown, english.Plural(l.All, "node", ""))
	}
	if shown += ", those in view, to act on and with names before others,"; most != nil {
		shown += " without " + strings.Join(most, ", ") + ","
	}
	return cutNote(shown)
}

// showPage answers browser_snapshot in the usual form: without depth, boxes and a file.
func (c *call) showPage(ctx context.Context, o actions.LookOptions) error {
	l, err := c.page.Look(ctx, o)
	if err != nil {
		return err
	}
	if c.mode.Kind == actions.NoSnapshot {
		c.header(c.page.Info(), c.status, c.written(c.page))
		return nil
	}
	c.describe(l.Whole, o.Root == nil)
	if c.showLook(l); l.Text == "" && !l.Delta {
		c.say("The page shows nothing.")
	}
	return nil
}

// depthOf is the level of a line in a snapshot, from 0: two spaces for each.
func depthOf(line string) int { return (len(line) - len(strings.TrimLeft(line, " "))) / 2 }

// cutLevels keeps the first levels of a snapshot.
func cutLevels(text string, levels int) string {
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
	filename
	Text  string `json:"text,omitempty" jsonschema:"A text, in any case; or give regex"`
	Regex string `json:"regex,omitempty" jsonschema:"A regular expression (RE2), as error or /error/i"`
}

// findText is browser_find. It searches the text of the snapshot, so that what it finds
// has refs.
func findText(ctx context.Context, c *call, in findArgs) error {
	pattern, err := in.pattern()
	if err != nil {
		return err
	}
	s, err := c.page.SnapshotYAML(ctx, actions.YAMLOptions{Most: actions.MaxSearched})
	if actions.KindOf(err) == actions.LimitExceeded { // by what JSON escapes
		s, err = c.page.SnapshotYAML(ctx, actions.YAMLOptions{})
	}
	if err != nil {
		return err
	}
	lines, n, err := matchingLines(ctx, s.Text, pattern)
	if err != nil {
		return err
	}
	c.say("%s", english.Plural(n, "match", ""))
	if s.Cut {
		c.say("The page is longer than what was searched, its first %d MiB: a match behind that is not counted.", len(s.Text)>>20+1)
	}
	if in.Filename != "" {
		c.lines = append(c.lines, lines...)
		return c.toFile(in.Filename, "Matches", "text/plain")
	}
	c.snapshot = strings.Join(lines, "\n")
	return nil
}

// pattern is what is searched for. A text is found in any case; a regex may stand
// between slashes as in JavaScript, with the flag i or none.
func (in findArgs) pattern() (*actions.Pattern, error) {
	if (in.Text == "") == (in.Regex == "") {
		return nil, invalidArgument("one of text and regex must be given")
	}
	if in.Text != "" {
		return actions.CompileText(in.Text)
	}
	expression := in.Regex
	if inner, ok := strings.CutSuffix(expression, "/i"); ok && strings.HasPrefix(inner, "/") {
		expression = "(?i)" + inner[1:]
	} else if len(expression) > 1 && strings.HasPrefix(expression, "/") && strings.HasSuffix(expression, "/") {
		expression = expression[1 : len(expression)-1]
	}
	return actions.CompilePattern(expression)
}

// maxMatches is how many matches browser_find shows.
const maxMatches = 50

// matchingLines keeps the lines that match, each with the lines that it lies in, so that a
// match has its place in the page. n counts all matches, also those beyond
// maxMatches.
func matchingLines(ctx context.Context, text string, pattern *actions.Pattern) (lines []string, n int, err error) {
	var path []string // from the root to the line before
	shown := 0        // how many of path have been printed
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		depth := min(depthOf(line), len(path))
		path = append(path[:depth], line)
		shown = min(shown, depth)
		found, err := pattern.Match(ctx, line)
		if err != nil {
			return nil, 0, err
		}
		if !found {
			continue
		}
		if n++; n > maxMatches {
			continue
		}
		lines = append(lines, path[shown:]...)
		shown = len(path)
	}
	return lines, n, nil
}

type screenshotArgs struct {
	maybeElement
	Type     pictureType  `json:"type,omitempty" jsonschema:"By filename when left out, or png"`
	Filename string       `json:"filename,omitempty" jsonschema:"A file to save it to instead"`
	FullPage bool         `json:"fullPage,omitempty" jsonschema:"The whole page instead of what is in view"`
	Scale    pictureScale `json:"scale,omitempty" jsonschema:"Its pixels; css when left out"`
}

// format is the format of the picture: the type that is given, else by the extension
// of the file, else PNG.
func (in screenshotArgs) format() string {
	if in.Type != "" {
		return string(in.Type)
	}
	switch strings.ToLower(filepath.Ext(in.Filename)) {
	case ".jpg", ".jpeg":
		return "jpeg"
	case ".webp":
		return "webp"
	}
	return "png"
}

// takeScreenshot is browser_take_screenshot.
func takeScreenshot(ctx context.Context, c *call, in screenshotArgs) error {
	o := actions.ScreenshotOptions{Format: in.format(), FullPage: in.FullPage, CSSPixels: in.Scale != "device", Element: in.locator()}
	on, whole := "page", ""
	if o.Element != nil {
		if in.FullPage {
			return invalidArgument("target and fullPage exclude one another")
		}
		on = "page." + c.element(in.Target)
	}
	if in.FullPage {
		whole = "true"
	}
	c.ran("await %s.screenshot(%s);", on, objectLiteral([2]string{"fullPage", whole}, [2]string{"path", orEmpty(in.Filename)}, [2]string{"type", jsLiteral(o.Format)}))
	shot, err := c.page.Screenshot(ctx, o)
	if err != nil {
		return err
	}
	if in.Filename == "" && c.noImages {
		c.say("A picture of %d × %d pixels, which is left out: this client gets no pictures. Read the page with browser_snapshot, or save the picture with filename.", shot.Width, shot.Height)
		return nil
	}
	c.say("A picture of %d × %d pixels", shot.Width, shot.Height)
	if in.Filename != "" {
		return c.save("Screenshot", in.Filename, "image/"+shot.Format, shot.Data)
	}
	if err := c.attach(len(shot.Data)); err != nil {
		return err
	}
	c.picture = &sdk.ImageContent{Data: shot.Data, MIMEType: "image/" + shot.Format}
	return nil
}
