package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// answersList has the methods that a frame and its hub answer with success.
//
//go:embed answers.txt
var answersList string

// answerRow is one block of the list: methods of which the same is true.
type answerRow struct {
	Tests   []string // that hold what is done, by their paths in the repository; nil where nothing is
	Why     string   // why success is right although nothing is done
	Methods []string // "Page.enable", or with a level "browser:Browser.close"
}

// answersPage is what docs/answers.md shows.
type answersPage struct {
	Nothing []answerRow
	Done    map[string][]string // methods by domain
}

// readAnswers sorts the list by whether something is done.
func readAnswers() (any, error) {
	rows, err := parseAnswers()
	p := answersPage{Done: map[string][]string{}}
	for _, r := range rows {
		if r.Why != "" {
			p.Nothing = append(p.Nothing, r)
			continue
		}
		for _, m := range r.Methods {
			_, m = splitLevel(m)
			domain, verb, _ := strings.Cut(m, ".")
			p.Done[domain] = append(p.Done[domain], verb)
		}
	}
	for domain, methods := range p.Done {
		p.Done[domain] = slices.Compact(slices.Sorted(slices.Values(methods)))
	}
	return p, err
}

// parseAnswers reads the list.
func parseAnswers() (rows []answerRow, err error) {
	seen := map[string]bool{}
	for n, line := range strings.Split(answersList, "\n") {
		fail := func(why string) error { return fmt.Errorf("answers.txt:%d: %s: %q", n+1, why, line) }
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.TrimSpace(line) == "", line[0] == '#':
		case line[0] == '\t':
			if len(rows) == 0 {
				return nil, fail("methods without a row")
			}
			last := &rows[len(rows)-1]
			for m := range strings.FieldsSeq(line) {
				if seen[m] {
					return nil, fail(m + " is there twice")
				}
				seen[m] = true
				last.Methods = append(last.Methods, m)
			}
		case kind == "done" && rest != "":
			rows = append(rows, answerRow{Tests: strings.Fields(rest)})
		case kind == "nothing" && rest != "":
			rows = append(rows, answerRow{Why: rest})
		default:
			return nil, fail("neither done nor nothing")
		}
	}
	return rows, nil
}

// levels say where a method with such a prefix is sent. One without a prefix is sent in a session on a frame.
var levels = map[string]string{
	"browser": " without a session",
	"tab":     " in a session on a tab",
	"worker":  " in a session on a worker",
}

// splitLevel splits the name of a method in the list.
func splitLevel(name string) (level, method string) {
	if level, method, is := strings.Cut(name, ":"); is {
		return levels[level], method
	}
	return "", name
}

// answeredNames are methods as the page has them.
func answeredNames(methods []string) string {
	list := make([]string, len(methods))
	for i, m := range methods {
		level, name := splitLevel(m)
		list[i] = "`" + name + "`" + level
	}
	return strings.Join(list, ", ")
}
