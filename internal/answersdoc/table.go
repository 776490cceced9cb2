package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// file is the table.
//
//go:embed answers.txt
var file string

// row is one block of the table: methods of which the same is true.
type row struct {
	Tests   []string // that hold what is done, by their paths in the repository; nil where nothing is
	Why     string   // why success is right although nothing is done
	Methods []string // "Page.enable", or with a level "browser:Browser.close"
}

// level is where a method is sent.
type level struct{ prefix, words string }

// levels are all levels. Most methods are sent in a session on a frame.
var levels = []level{
	{"", ""},
	{"browser:", "without a session"},
	{"tab:", "in a session on a tab"},
	{"worker:", "in a session on a worker"},
}

// levelOf splits the name of a method in the table.
func levelOf(name string) (l level, method string) {
	for _, l := range levels[1:] {
		if method, is := strings.CutPrefix(name, l.prefix); is {
			return l, method
		}
	}
	return levels[0], name
}

// parse reads the table.
func parse(text string) (rows []row, err error) {
	seen := map[string]bool{}
	for n, line := range strings.Split(text, "\n") {
		fail := func(why string) error { return fmt.Errorf("answers.txt:%d: %s: %q", n+1, why, line) }
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.TrimSpace(line) == "", line[0] == '#':
		case line[0] == '\t':
			if len(rows) == 0 {
				return nil, fail("methods without a row")
			}
			last := &rows[len(rows)-1]
			for _, m := range strings.Fields(line) {
				if seen[m] {
					return nil, fail(m + " is there twice")
				}
				seen[m] = true
				last.Methods = append(last.Methods, m)
			}
		case kind == "done" && rest != "":
			rows = append(rows, row{Tests: strings.Fields(rest)})
		case kind == "nothing" && rest != "":
			rows = append(rows, row{Why: rest})
		default:
			return nil, fail("neither done nor nothing")
		}
	}
	return rows, nil
}
