// Package methods is the table of who answers each method of the protocol: the hub, the Host page, the agent of a frame
// or one of its parts. Documentation, TypeScript and tests are made from it or held to it.
package methods

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed methods.txt
var list string

// Levels are where a method is sent, in the order of the table's columns: in a session on a frame, without a session, in a
// session on a tab, and in one on a worker.
var Levels = [...]string{"frame", "browser", "tab", "worker"}

// Step is one program on the way of a command that may answer it.
type Step struct {
	By      string // "hub", "host", or a bundle such as "dom.js"
	Inert   string // why success is right although nothing is done; "" where something is done
	Refused string // why the command is refused; "" where it is not
	Partly  bool   // whether it is refused for some params only
}

// Method is one row.
type Method struct {
	Name    string              // "Page.enable"; "Tracing.*" are the methods of a domain without a row
	Answers [len(Levels)][]Step // by level; nil where the method is not found
}

// Domain returns the part of the name before the dot, and the part after it.
func (m Method) Domain() (domain, verb string) {
	domain, verb, _ = strings.Cut(m.Name, ".")
	return domain, verb
}

// First returns the first step at a level.
func (m Method) First(level int) (step Step, found bool) {
	if found = len(m.Answers[level]) > 0; found {
		step = m.Answers[level][0]
	}
	return step, found
}

// Done reports whether the program carries the command out, at least for some params.
func (s Step) Done() bool { return s.Inert == "" && (s.Refused == "" || s.Partly) }

// At returns the step of a program at a level.
func (m Method) At(level int, by string) (step Step, found bool) {
	for _, s := range m.Answers[level] {
		if s.By == by {
			return s, true
		}
	}
	return Step{}, false
}

// Read returns the rows, sorted by name.
func Read() (rows []Method, err error) {
	reasons := map[string]string{"": ""}
	for n, line := range strings.Split(list, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "" || word[0] == '#':
			continue
		case word[0] == '!' || word[0] == '~':
			reasons[word] = rest
			continue
		case len(rows) > 0 && word <= rows[len(rows)-1].Name:
			err = fmt.Errorf("%s is there twice, or not in order", word)
		default:
			m := Method{Name: word}
			if err = m.readCells(strings.Fields(rest), reasons); err == nil {
				rows = append(rows, m)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("methods.txt:%d: %w", n+1, err)
		}
	}
	return rows, nil
}

// readCells reads the cells of a row: "-", or steps such as "hub>agent.js~WHY?WHY".
func (m *Method) readCells(cells []string, reasons map[string]string) error {
	if len(cells) == 0 || len(cells) > len(Levels) {
		return fmt.Errorf("%d cells", len(cells))
	}
	for level, cell := range cells {
		if cell == "-" {
			continue
		}
		for text := range strings.SplitSeq(cell, ">") {
			text, refused := cutBefore(text, "!")
			text, partly := cutBefore(text, "?")
			by, inert := cutBefore(text, "~")
			refused += strings.Replace(partly, "?", "!", 1)
			step := Step{By: by, Inert: reasons[inert], Refused: reasons[refused], Partly: partly != ""}
			if step.Inert == "" && inert != "" || step.Refused == "" && refused != "" {
				return fmt.Errorf("%s names no reason", cell)
			}
			m.Answers[level] = append(m.Answers[level], step)
		}
	}
	return nil
}

// cutBefore splits a text before a mark.
func cutBefore(text, mark string) (before, rest string) {
	if i := strings.Index(text, mark); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
