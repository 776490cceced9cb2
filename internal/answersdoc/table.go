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
	Methods []string // "Page.enable"; at browser level "browser:Page.enable"
}

// browserLevel begins the names of methods that are sent without a session.
const browserLevel = "browser:"

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
