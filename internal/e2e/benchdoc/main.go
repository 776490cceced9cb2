// Command benchdoc writes docs/performance.md and its picture from what benchmarks
// print, in the format of go test -bench:
//
//	make bench-doc
//	cat FIGURES | go run ./benchdoc -docs ../../docs
//
// It fails where a goal has no figure, so that the page never says more than was measured.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"

	"golang.org/x/perf/benchfmt"
)

func main() {
	docs := flag.String("docs", "docs", "the `folder` of the documentation")
	flag.Parse()
	if err := run(os.Stdin, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "benchdoc:", err)
		os.Exit(1)
	}
}

//go:embed page.tmpl
var page string

//go:embed plot.tmpl
var plot string

func run(in io.Reader, docs string) error {
	figures, err := read(in)
	if err != nil {
		return err
	}
	sections, err := compare(goals, figures)
	if err != nil {
		return err
	}
	for file, text := range map[string]string{"performance.md": page, filepath.Join("images", "performance.svg"): plot} {
		var out bytes.Buffer
		t := template.Must(template.New(file).Funcs(template.FuncMap{"escape": template.HTMLEscapeString}).Parse(text))
		if err := t.Execute(&out, struct {
			Go       string
			CPUs     int
			Sections []section
			Plot     drawing
		}{runtime.Version(), runtime.NumCPU(), sections, draw(sections)}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, file), out.Bytes(), 0o644); err != nil { //nolint:gosec // it is for everybody to read
			return err
		}
	}
	return nil
}

// key names a figure: a benchmark, without Benchmark and the number of CPUs, and a unit.
type key struct{ benchmark, unit string }

// read returns the figures; of one that was measured twice, the last.
func read(in io.Reader) (map[key]float64, error) {
	figures := make(map[key]float64)
	for r := benchfmt.NewReader(in, "standard input"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			name, parts := rec.Name.Parts()
			full := string(name)
			for _, p := range parts {
				if !bytes.HasPrefix(p, []byte("-")) { // -2: the number of CPUs
					full += string(p)
				}
			}
			for _, v := range rec.Values {
				unit, value := v.Unit, v.Value
				if v.OrigUnit != "" {
					unit, value = v.OrigUnit, v.OrigValue
				}
				figures[key{full, unit}] = value
			}
		case *benchfmt.SyntaxError:
			return nil, rec
		}
	}
	return figures, nil
}

// row is a goal and what was measured.
type row struct {
	goal
	Figure float64
}

// Share is the figure as a share of the goal: at most 1 where it is met.
func (r row) Share() float64 {
	if r.AtLeast {
		return r.Goal / r.Figure
	}
	return r.Figure / r.Goal
}

// Met says whether the goal is met, as far as the printed digits tell.
func (r row) Met() bool { return r.Share() <= 1.005 }

// Measured is the figure with three digits.
func (r row) Measured() string { return fmt.Sprintf("%.3g", r.Figure) }

// Bound is the goal in words.
func (r row) Bound() string {
	word := "at most"
	if r.AtLeast {
		word = "at least"
	}
	return fmt.Sprintf("%s %g", word, r.Goal)
}

type section struct {
	Title, Text string
	Rows        []row
}

// compare finds the figure of each goal.
func compare(list []group, figures map[key]float64) ([]section, error) {
	var sections []section
	var missing []string
	for _, s := range list {
		rows := make([]row, 0, len(s.goals))
		for _, g := range s.goals {
			f, ok := figures[key{g.Benchmark, g.Unit}]
			if !ok {
				missing = append(missing, g.Benchmark+" "+g.Unit)
				continue
			}
			rows = append(rows, row{g, f})
		}
		sections = append(sections, section{s.title, s.text, rows})
	}
	if missing != nil {
		return nil, fmt.Errorf("the input has no figure for these goals:\n%s", strings.Join(missing, "\n"))
	}
	return sections, nil
}
