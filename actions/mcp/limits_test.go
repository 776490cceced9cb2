package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to what one answer may have, and what one call may ask for.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	limittest.Reach(t, "maxSection", maxSection, func(n int) bool { return cutSection(x(n)) == x(n) })
	limittest.Reach(t, "maxAttached", maxAttached, func(n int) bool {
		r := new(reply)
		return r.attach(n/2) == nil && r.attach(n-n/2) == nil
	})
	limittest.Reach(t, "maxMessages", maxMessages, func(n int) bool {
		c := new(console)
		for range n {
			c.add(actions.ConsoleMessage{Text: "a"})
		}
		return len(c.messages) == n
	})
	limittest.Reach(t, "maxReportedDownloads", maxReportedDownloads, func(n int) bool {
		l := newDownloadLog()
		for range n {
			l.note(actions.Download{State: "completed"})
		}
		return len(l.ended) == n && l.lost == 0
	})
	limittest.Reach(t, "maxConsoleBytes", maxConsoleBytes, func(n int) bool {
		c := new(console)
		c.add(actions.ConsoleMessage{Text: x(n / 2)})
		c.add(actions.ConsoleMessage{Text: x(n - n/2)})
		return len(c.messages) == 2
	})
	limittest.Reach(t, "maxMatches", maxMatches, func(n int) bool {
		pattern, err := actions.CompilePattern("a")
		if err != nil {
			t.Fatal(err)
		}
		lines, all, err := matchingLines(t.Context(), strings.Repeat("a\n", n), pattern)
		if err != nil || all != n {
			t.Errorf("%d of %d were found: %v", all, n, err)
		}
		return len(lines) == n
	})
	limittest.Reach(t, "largestFile", largestFile, func(n int) bool {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		s := &session{files: Files{Read: root}}
		f, err := s.read("a")
		return err == nil && len(f.Data) == n
	})
	limittest.Reach(t, "most pixels of width", 10_000, func(n int) bool {
		return asksOnly(func(c *call) error { return resizePage(t.Context(), c, resizeArgs{Width: float64(n), Height: 1}) })
	})
	limittest.Reach(t, "most pixels of height", 10_000, func(n int) bool {
		return asksOnly(func(c *call) error { return resizePage(t.Context(), c, resizeArgs{Width: 1, Height: float64(n)}) })
	})
	limittest.Reach(t, "longestHold", int(longestHold.Milliseconds()), func(n int) bool {
		return asksOnly(func(c *call) error { return mouseClick(t.Context(), c, clickAtArgs{Delay: float64(n)}) })
	})
}

// asksOnly reports whether a call would go on to the page, of which there is none here.
func asksOnly(do func(c *call) error) (passed bool) {
	defer func() { passed = recover() != nil }()
	_ = do(new(call))
	return false
}
