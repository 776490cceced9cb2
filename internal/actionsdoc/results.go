package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/testrun"
)

// kinds are the kinds of targets, as tests name them.
var kinds = []string{"browser", "frame"}

// dialects are the action APIs, as tests name them.
var dialects = []string{"NDJSON", "JSONRPC", "Hooks", "BAP", "MCP"}

// results are what the tests of a dialect have found.
type results struct {
	dialect  string
	rows     []row // of Conformance, the cases of a method side by side
	answers  []answer
	examples []string // of Seed

	takes, gives map[string]string // by method
	tools        []theirs          // of MCP: what Playwright MCP has
}

// theirs is a tool of Playwright MCP.
type theirs struct {
	name, group string
	takes, more string // its arguments, and ours beside them
	lacks       string // why it is not here; mostly ""
}

// row is a case of a method.
type row struct {
	method, name string
	cells        [2]cell // by kind
}

// runs is the number of kinds of targets that the case is for. Cases for one kind
// alone come last in the table.
func (r row) runs() (n int) {
	for _, c := range r.cells {
		if c.run {
			n++
		}
	}
	return n
}

// cell is how a case ended with one kind of targets.
type cell struct {
	run         bool
	unsupported string // why
	note        string
}

// String is the text of a cell in the table.
func (c cell) String() string {
	switch {
	case !c.run:
		return "–"
	case c.unsupported != "":
		return "unsupported (" + c.unsupported + ")"
	case c.note != "":
		return "works, " + c.note
	}
	return "works"
}

// answer is what an attack of that name gets.
type answer struct{ name, what string }

var (
	ours     = regexp.MustCompile(`^Test(` + strings.Join(dialects, "|") + `)(Conformance|Security|Seed|Playwright)(?:/(.+))?$`)
	suffixed = regexp.MustCompile(`#\d\d$`)
)

// read collects what the tests have found, and what is wrong with it.
func read(tests []testrun.Test) (all map[string]*results, bad []string) {
	all = make(map[string]*results)
	for _, d := range dialects {
		all[d] = &results{dialect: d, takes: make(map[string]string), gives: make(map[string]string)}
	}
	for _, t := range tests {
		m := ours.FindStringSubmatch(t.Name)
		if m == nil {
			continue
		}
		if t.Outcome != "pass" {
			bad = append(bad, t.Name+" ("+t.Outcome+")")
		}
		// Package testing puts #01 behind the name of a second subtest of one name.
		// Then two cases would share a row.
		if suffixed.MatchString(t.Name) {
			bad = append(bad, t.Name+" (the name of another)")
		}
		r, name := all[m[1]], m[3]
		switch {
		case name == "":
		case m[2] == "Playwright":
			r.tools = append(r.tools, theirs{name, t.Attr["group"], plain(t.Attr["takes"]), plain(t.Attr["more"]), plain(t.Attr["lacks"])})
		case m[2] == "Conformance":
			r.add(name, t.Attr)
		case m[2] == "Seed":
			if kind, of, is := strings.Cut(name, "/"); is && slices.Contains(kinds, kind) {
				name = of
			} else if slices.Contains(kinds, name) {
				continue
			}
			if name = words(name); !slices.Contains(r.examples, name) {
				r.examples = append(r.examples, name)
			}
		case t.Attr["answer"] == "":
			bad = append(bad, t.Name+" (tells no answer)")
		default:
			r.answers = append(r.answers, answer{words(name), plain(t.Attr["answer"])})
		}
	}
	for _, d := range dialects {
		r := all[d]
		if r.rows == nil || r.answers == nil || r.examples == nil && d != "MCP" {
			bad = append(bad, d+" (tests are missing)")
		}
		slices.Sort(r.examples)
	}
	return all, bad
}

// add adds a case: browser/METHOD/CASE.
func (r *results) add(name string, attr map[string]string) {
	kind, name, _ := strings.Cut(name, "/")
	at := strings.LastIndexByte(name, '/')
	k := slices.Index(kinds, kind)
	if k < 0 || at < 0 {
		return
	}
	method, name := name[:at], words(name[at+1:])
	i := slices.IndexFunc(r.rows, func(o row) bool { return o.method == method && o.name == name })
	if i < 0 {
		i = len(r.rows)
		r.rows = append(r.rows, row{method: method, name: name})
	}
	r.rows[i].cells[k] = cell{true, plain(attr["unsupported"]), plain(attr["note"])}
}

// describe adds what methods take and give, and puts the cases into the order of
// methods.txt. It returns what does not match.
func describe(all map[string]*results, lines string) (bad []string) {
	order := make(map[string]int)
	for line := range strings.Lines(lines) {
		parts := strings.Split(line, "|")
		dialect, method, ok := strings.Cut(strings.TrimSpace(parts[0]), " ")
		if r := all[dialect]; !ok || r == nil || len(parts) != 3 {
			bad = append(bad, strings.TrimSpace(line)+" (is no line of methods.txt)")
		} else {
			order[method] = len(order) + 1
			r.takes[method], r.gives[method] = plain(strings.TrimSpace(parts[1])), plain(strings.TrimSpace(parts[2]))
			if !slices.ContainsFunc(r.rows, func(o row) bool { return o.method == method }) {
				bad = append(bad, method+" (has no test)")
			}
		}
	}
	for _, d := range dialects {
		slices.SortStableFunc(all[d].rows, func(a, b row) int {
			if a.method != b.method {
				return cmp.Compare(order[a.method], order[b.method])
			}
			return cmp.Compare(b.runs(), a.runs())
		})
		for _, o := range all[d].rows {
			if _, ok := all[d].takes[o.method]; !ok && o.method != messages {
				bad = append(bad, o.method+" (is not in methods.txt)")
			}
		}
	}
	return bad
}

// words is the name of a test, which has _ for spaces.
func words(name string) string { return plain(strings.ReplaceAll(name, "_", " ")) }

// plain escapes a text for a cell of a table in Markdown.
func plain(text string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(text) }
