// Package docstest reads the documentation as tests do: its pages, their code
// blocks, and how each block is to be tested.
//
// The line above a block declares its test:
//
//	<!-- test: run with serve --browser -->
//
// The words after "with" are the arguments of a cdphub that runs meanwhile.
package docstest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Block is a fenced code block that names its language.
type Block struct {
	File   string // relative to the repository
	Line   int    // of its first line of text, from 1
	Lang   string // sh, js, …
	Text   string
	Kind   string   // what its test does: one of Kinds; empty: it has no declaration
	With   []string // arguments of the cdphub that the test needs
	Reason string   // why it is not tested, of a skipped one: one of Reasons
}

// Kinds are the tests of a block.
var Kinds = []string{
	"run",        // sh, js, go: the commands or the program end well
	"start",      // go: the program serves at 127.0.0.1:9222 until it is ended
	"config",     // yaml, json: cdphub serve --config starts with it
	"tokens",     // yaml: cdphub serve --tokens starts with it
	"mcp",        // json: each server of an MCP client's configuration answers
	"playwright", // js: the tests of Playwright's test runner pass
	"app",        // html: with the block "host" of its page, the app can be driven
	"host",       // html: the Host page around the app
	"proxy",      // nginx, caddy, yaml: the reverse proxy passes a hub on, in internal/e2e/reverseproxy
	"cluster",    // sh: cdphub-cluster does so, in a test of internal/cluster/nats
	"skip",
}

// Reasons are what a block may be skipped for.
var Reasons = []string{
	"a target of make",  // a test does not run the tests
	"fragment",          // part of a program that is not the page's subject
	"installs packages", // from a registry
	"needs a release",   // which is tested where it is made
	"needs Claude Code",
	"needs containers",
	"needs Python packages",
	"needs systemd",
}

var (
	fence       = regexp.MustCompile("^( *)```([a-z]*)")
	declaration = regexp.MustCompile(`^<!-- test: (\w+)(?:: (.+?)| with (.+?))? -->$`)
)

// Pages returns the pages of the documentation, relative to the repository.
func Pages(root string) ([]string, error) {
	pages := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".vitepress"):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			name, err := filepath.Rel(root, path)
			pages = append(pages, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	return pages, err
}

// Blocks returns the code blocks of all pages. A declaration that is not well formed
// is an error.
func Blocks(root string) ([]Block, error) {
	pages, err := Pages(root)
	if err != nil {
		return nil, err
	}
	var all []Block
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page)) //nolint:gosec // a page of the repository
		if err != nil {
			return nil, err
		}
		blocks, err := parsePage(page, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, blocks...)
	}
	return all, nil
}

// parsePage reads one page.
func parsePage(file, text string) ([]Block, error) {
	var blocks []Block
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		m := fence.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end] != m[1]+"```" {
			end++
		}
		if end == len(lines) {
			return nil, fmt.Errorf("%s:%d: the block does not end", file, i+1)
		}
		if m[2] != "" && m[2] != "text" {
			b := Block{File: file, Line: i + 2, Lang: m[2]}
			for _, line := range lines[i+1 : end] {
				b.Text += strings.TrimPrefix(line, m[1]) + "\n"
			}
			if i > 0 {
				if err := b.declare(strings.TrimSpace(lines[i-1])); err != nil {
					return nil, fmt.Errorf("%s:%d: %w", file, i, err)
				}
			}
			blocks = append(blocks, b)
		}
		i = end
	}
	return blocks, nil
}

// declare reads the line above a block, if it is a declaration.
func (b *Block) declare(line string) error {
	if !strings.HasPrefix(line, "<!-- test") {
		return nil
	}
	m := declaration.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is not of the form <!-- test: KIND --> or <!-- test: KIND with ARGUMENTS -->", line)
	}
	b.Kind, b.Reason, b.With = m[1], m[2], strings.Fields(m[3])
	if !slices.Contains(Kinds, b.Kind) {
		return fmt.Errorf("%q: the test is none of %q", line, Kinds)
	}
	if skip := b.Kind == "skip"; skip != (b.Reason != "") || skip && !slices.Contains(Reasons, b.Reason) {
		return fmt.Errorf("%q: the reason of a skipped block is one of %q", line, Reasons)
	}
	return nil
}
