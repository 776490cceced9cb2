package mcp

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize/english"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// reply is the answer of a call, section by section.
type reply struct {
	failed   error
	lines    []string // of the section Result
	code     []string // of the section of code
	tabs     []string
	page     []string // of the section Page
	modal    []actions.Dialog
	events   []string // of the section Events
	snapshot string
	cut      string       // that the snapshot is cut, and what to do; "" where it is not
	looked   actions.Look // where the snapshot is from; zero where it is of another kind
	link     string       // to a file with the snapshot, instead
	picture  *sdk.ImageContent
	attached []sdk.Content // files
	size     int           // bytes of picture and attached
	status   int           // of the page's document, as HTTP has it; 0 when it is not known
}

// say adds a line to the section Result.
func (r *reply) say(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// header makes the section Page. A status is shown only if it is not 2xx.
func (r *reply) header(p actions.PageInfo, status int, c *console) {
	r.page = []string{"- Page URL: " + p.URL}
	if p.Title != "" {
		r.page = append(r.page, "- Page Title: "+oneLine(p.Title))
	}
	if status != 0 && (status < 200 || status > 299) {
		r.page = append(r.page, fmt.Sprintf("- HTTP status: %d", status))
	}
	if errors, warnings := c.counts(); errors+warnings > 0 {
		r.page = append(r.page, "- Console: "+english.Plural(errors, "error", "")+", "+english.Plural(warnings, "warning", ""))
	}
}

// remedies say what a model can do about an error.
var remedies = map[actions.Kind]string{
	actions.ElementNotFound:  "Take a browser_snapshot and use a ref from it.",
	actions.StaleRef:         "The page has changed: take a browser_snapshot and use a ref from it.",
	actions.AmbiguousLocator: "Use a ref of a browser_snapshot, or a selector that matches only one element.",
	actions.PageNotFound:     "See browser_tabs for the pages there are, or open one with browser_navigate.",
	actions.NotVisible:       "Take a browser_snapshot: it shows what is visible now.",
	actions.NotEnabled:       "See what it needs first, such as a field that must be filled, or wait with browser_wait_for.",
	actions.Obscured:         "Close or move what covers it first.",
	actions.RateLimited:      "Wait for answers before you call again.",
	actions.Paused:           "Tell the user, or wait and try again.", // the message says whether the page can be read
	actions.PermissionDenied: "The token of this client does not allow it.",
}

// result is the answer as MCP's CallToolResult; err is why the call has failed. It is
// marked by isError then, and not a protocol error, so that the model reads it (MCP
// specification, "Tools").
func (r *reply) result(err error) *sdk.CallToolResult {
	var b strings.Builder
	section := func(title string, lines ...string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "### %s\n%s\n", title, noSections(cutSection(strings.Join(lines, "\n"))))
		}
	}
	if err != nil {
		lines := []string{"Error: " + err.Error()}
		if remedy := remedies[actions.KindOf(err)]; remedy != "" {
			lines = append(lines, remedy)
		}
		section("Error", lines...)
	}
	section("Result", r.lines...)
	if r.code != nil && err == nil {
		section("Ran Playwright code", "```js", strings.Join(r.code, "\n"), "```")
	}
	section("Open tabs", r.tabs...)
	section("Page", r.page...)
	var dialogs []string
	for _, d := range r.modal {
		dialogs = append(dialogs, fmt.Sprintf("- [%q dialog with message %q]: can be handled by browser_handle_dialog", d.Type, d.Message))
	}
	section("Modal state", dialogs...)
	section("Events", r.events...)
	switch {
	case r.link != "":
		section("Snapshot", r.link)
	case r.looked.Delta && r.snapshot == "":
		section("Changes", "None since the last snapshot.")
	case r.snapshot != "":
		title := "Snapshot"
		if r.looked.Delta {
			title = "Changes"
		}
		lines := []string{"```yaml", strings.TrimSuffix(r.snapshot, "\n"), "```"}
		if r.cut != "" {
			lines = append(lines, r.cut)
		}
		section(title, lines...)
	}
	if b.Len() == 0 {
		b.WriteString("### Result\nDone\n")
	}
	result := &sdk.CallToolResult{IsError: err != nil, Content: []sdk.Content{&sdk.TextContent{Text: b.String()}}}
	if r.picture != nil {
		result.Content = append(result.Content, r.picture)
	}
	result.Content = append(result.Content, r.attached...)
	return result
}

// maxSection is how long a section of an answer may be, in bytes: a value of a page, with
// what is said around it.
const maxSection = actions.MaxValue + 1<<20

// cutSection cuts a section that is longer, and says so.
func cutSection(text string) string {
	if len(text) <= maxSection {
		return text
	}
	return strings.ToValidUTF8(text[:maxSection], "") + fmt.Sprintf("\n(cut: this section has %d bytes, at most %d are given)", len(text), maxSection)
}

// maxAttached is how many bytes of pictures and files one answer may have.
const maxAttached = 16 << 20

// attach counts bytes that an answer is to have besides its text. The error has the kind
// LimitExceeded.
func (r *reply) attach(bytes int) error {
	if r.size += bytes; r.size > maxAttached {
		return &actions.Error{Kind: actions.LimitExceeded, Message: fmt.Sprintf(
			"limit exceeded: the answer would have files of %d bytes, at most %d can be attached: ask for a part of the page", r.size, maxAttached)}
	}
	return nil
}

// noSections escapes lines that begin like a heading of Markdown: a page could write
// text that looks like a section of the answer.
func noSections(s string) string {
	return strings.TrimPrefix(heading.ReplaceAllString("\n"+s, `$1\#`), "\n")
}

// heading is the beginning of a line that is a heading in Markdown (CommonMark, "ATX
// headings"), after any character that ends a line.
var heading = regexp.MustCompile(`([\n\r\x{85}\x{2028}\x{2029}] {0,3})#`)

// oneLine joins the lines of a text of the page, so that it cannot begin a section of
// its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
