package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

// How much of a page's console is kept.
const (
	maxMessages     = 1000
	maxConsoleBytes = 2 << 20 // of texts and addresses
)

// console is what a page has written to its console, the oldest message first.
type console struct {
	messages []actions.ConsoleMessage
	bytes    int // of them
	since    int // where those of the document begin
	moved    int // where those after the last navigation begin, within a document too
}

func (c *console) add(m actions.ConsoleMessage) {
	c.messages = append(c.messages, m)
	c.bytes += bytesOf(m)
	over := 0
	for ; len(c.messages)-over > maxMessages || c.bytes > maxConsoleBytes; over++ {
		c.bytes -= bytesOf(c.messages[over])
	}
	if over > 0 {
		c.messages = slices.Delete(c.messages, 0, over)
		c.since, c.moved = max(c.since-over, 0), max(c.moved-over, 0)
	}
}

func bytesOf(m actions.ConsoleMessage) int { return len(m.Level) + len(m.Text) + len(m.URL) }

// navigated notes that the page has another address, and parsed that this was a new
// document: then the messages since are those of the document.
func (c *console) navigated() { c.moved = len(c.messages) }
func (c *console) parsed()    { c.since = c.moved }

// clone leaves out moved, which only events need.
func (c *console) clone() *console {
	return &console{messages: slices.Clone(c.messages), since: c.since}
}

// The levels of messages. Each includes those above it.
const (
	levelError = iota
	levelWarning
	levelInfo
	levelDebug
)

var levels = map[consoleLevel]int{"error": levelError, "warning": levelWarning, "info": levelInfo, "debug": levelDebug}

// levelOf is the level of a message, by the type that CDP gives it
// (Runtime.consoleAPICalled, Log.LogEntry).
func levelOf(kind string) int {
	switch kind {
	case "error", "assert":
		return levelError
	case "warning":
		return levelWarning
	case "debug", "verbose", "trace":
		return levelDebug
	}
	return levelInfo
}

// counts are the numbers of errors and warnings of the document. c may be nil.
func (c *console) counts() (errors, warnings int) {
	if c == nil {
		return 0, 0
	}
	for _, m := range c.messages[c.since:] {
		switch levelOf(m.Level) {
		case levelError:
			errors++
		case levelWarning:
			warnings++
		}
	}
	return errors, warnings
}

// list prints the messages up to a level: those of the document, or all that are
// kept.
func (c *console) list(level int, all bool) []string {
	from := c.since
	if all {
		from = 0
	}
	var lines []string
	errors, warnings := 0, 0
	for _, m := range c.messages[from:] {
		of := levelOf(m.Level)
		switch of {
		case levelError:
			errors++
		case levelWarning:
			warnings++
		}
		if of > level {
			continue
		}
		at := ""
		if m.URL != "" {
			at = fmt.Sprintf(" @ %s:%d", m.URL, m.Line)
		}
		lines = append(lines, fmt.Sprintf("[%s] %s%s", strings.ToUpper(m.Level), m.Text, at))
	}
	head := fmt.Sprintf("Total messages: %d (Errors: %d, Warnings: %d)", len(c.messages)-from, errors, warnings)
	if shown := len(lines); shown < len(c.messages)-from {
		head += fmt.Sprintf(", of which %d are of the level", shown)
	}
	return append([]string{head, ""}, lines...)
}

type consoleArgs struct {
	onPage
	filename
	Level consoleLevel `json:"level,omitempty" jsonschema:"And all before it; info when left out"`
	All   bool         `json:"all,omitempty" jsonschema:"Of earlier documents, too"`
}

// consoleMessages is browser_console_messages.
func consoleMessages(_ context.Context, c *call, in consoleArgs) error {
	c.lines = c.written(c.page).list(levels[cmp.Or(in.Level, "info")], in.All)
	// More secrets may be known than when the messages came.
	for i, line := range c.lines {
		c.lines[i] = c.page.Redact(line)
	}
	return c.toFile(in.Filename, "Console", "text/plain")
}
