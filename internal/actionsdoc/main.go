// Command actionsdoc makes docs/actions.md, the page on the action APIs: the
// prose of page.tmpl, with tables of what the conformance tests of actions/conformance
// have found.
//
//	go test -json ./actions/conformance | go run ./internal/actionsdoc -write docs/actions.md
//	go test -json ./actions/conformance | go run ./internal/actionsdoc -check docs/actions.md
//
// It fails when one of those tests has not passed; with -check also when the
// file is not what it would write.
package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/cdphub/cdphub/internal/testrun"
)

func main() { testrun.Main(page, "actions-doc") }

//go:embed page.tmpl
var text string

// signatures says of each method what it takes and gives, a line each:
//
//	NDJSON page.navigate | url | page_id, url
//
//go:embed methods.txt
var signatures string

// messages is the method of cases that are not about one method.
const messages = "(any)"

// page prints the page.
func page(out io.Writer, tests []testrun.Test) error {
	all, bad := read(tests)
	bad = append(bad, describe(all, signatures)...)
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"methods": func(dialect string) string { return all[dialect].methods() },
		"tools":   func() string { return all["MCP"].toolTable() },
		"missing": func() string { return all["MCP"].missingTable() },
		"cases":   func(dialect string) string { return all[dialect].cases() },
		"seeds":   func(dialect string) string { return all[dialect].seeds() },
		"security": func(names ...string) string {
			list := make([]*results, len(names))
			for i, name := range names {
				list[i] = all[name]
			}
			return security(list)
		},
	}).Parse(text))
	if err := t.Execute(out, nil); err != nil {
		return err
	}
	if len(bad) > 0 {
		return fmt.Errorf("not proven: %s", strings.Join(bad, ", "))
	}
	return nil
}

// methods is a table of what each method can do with each kind of targets.
func (r *results) methods() string {
	var b strings.Builder
	b.WriteString("| method | takes | gives | browser | frame |\n|---|---|---|---|---|\n")
	for rest := r.rows; len(rest) > 0; {
		method := rest[0].method
		n := slices.IndexFunc(rest, func(o row) bool { return o.method != method })
		if n < 0 {
			n = len(rest)
		}
		if method != messages {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", method, r.takes[method], r.gives[method], inShort(rest[:n], 0), inShort(rest[:n], 1))
		}
		rest = rest[n:]
	}
	return b.String()
}

// toolTable is methods for MCP: its arguments are what the tests have found, beside
// those of Playwright MCP. A tool that is not one of theirs has arguments of our own alone.
func (r *results) toolTable() string {
	var b strings.Builder
	b.WriteString("| tool | capability | arguments of Playwright MCP | more arguments | gives | browser | frame |\n|---|---|---|---|---|---|---|\n")
	for rest := r.rows; len(rest) > 0; {
		name := rest[0].method
		n := slices.IndexFunc(rest, func(o row) bool { return o.method != name })
		if n < 0 {
			n = len(rest)
		}
		var t theirs
		if i := slices.IndexFunc(r.tools, func(t theirs) bool { return t.name == name }); i >= 0 {
			t = r.tools[i]
		} else {
			t.more = r.takes[name]
		}
		if name != messages {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", name, t.group, t.takes, t.more, r.gives[name], inShort(rest[:n], 0), inShort(rest[:n], 1))
		}
		rest = rest[n:]
	}
	return b.String()
}

// missingTable lists the tools of Playwright MCP that are not here.
func (r *results) missingTable() string {
	var b strings.Builder
	b.WriteString("| tool of Playwright MCP | why it is not here |\n|---|---|\n")
	for _, t := range r.tools {
		if t.lacks != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", t.name, t.lacks)
		}
	}
	return b.String()
}

// inShort sums up the cases of a method. The first case is the normal one: if it is
// not supported, nothing is.
func inShort(rows []row, kind int) string {
	if why := rows[0].cells[kind].unsupported; why != "" {
		return "no: " + why
	}
	var not []string
	for _, r := range rows {
		if r.cells[kind].unsupported != "" {
			not = append(not, r.name)
		}
	}
	if not != nil {
		return "yes, but not: " + strings.Join(not, ", ")
	}
	return "yes"
}

// cases is the table of all cases.
func (r *results) cases() string {
	var b strings.Builder
	b.WriteString("| method | case | browser | frame |\n|---|---|---|---|\n")
	for _, one := range r.rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", one.method, one.name, one.cells[0], one.cells[1])
	}
	return b.String()
}

// seeds lists the examples.
func (r *results) seeds() string { return strings.Join(r.examples, "; ") }

// security is a table of what each dialect answers to each of the same things.
func security(list []*results) string {
	titles := map[string]string{"JSONRPC": "browser.*", "Hooks": "hooks"}
	var b, line strings.Builder
	b.WriteString("| |")
	line.WriteString("|---|")
	var names []string
	for _, r := range list {
		b.WriteString(" " + cmp.Or(titles[r.dialect], r.dialect) + " |")
		line.WriteString("---|")
		for _, a := range r.answers {
			if !slices.Contains(names, a.name) {
				names = append(names, a.name)
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n", line.String())
	for _, name := range names {
		b.WriteString("| " + name + " |")
		for _, r := range list {
			i := slices.IndexFunc(r.answers, func(a answer) bool { return a.name == name })
			if i < 0 {
				b.WriteString(" |")
				continue
			}
			b.WriteString(" " + r.answers[i].what + " |")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
