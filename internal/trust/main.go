// Command trust turns the outcome of a test run, as go test -json prints it,
// into the table of what must hold, the tests that prove it, and what they
// said: docs/trust.md. A test belongs to the requirements that its name
// begins with, TestR24ScopesRefuseWrites, or that the name of a subtest has,
// TestScopes/R-24_writes.
//
//	go test -json ./... | go run ./internal/trust -write docs/trust.md
//	go test -json ./... | go run ./internal/trust -check docs/trust.md
//
// It fails when a requirement has no test, or one that did not pass; with
// -check also when the file is not what it would write.
package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/testrun"
)

func main() { testrun.Main(page, "trust-doc") }

// page prints the table.
func page(out io.Writer, tests []testrun.Test) error {
	proofs := map[string][]testrun.Test{}
	for _, t := range tests {
		for _, id := range requirementsOf(t.Name) {
			proofs[id] = append(proofs[id], t)
		}
	}
	return printTable(out, proofs)
}

var (
	leading = regexp.MustCompile(`^(?:Test|Fuzz)((?:[RF]\d{2,3})+)(?:[^0-9]|$)`)
	inside  = regexp.MustCompile(`(?:^|[/_ ])([RF]-\d{2,3})(?:[^0-9]|$)`)
	number  = regexp.MustCompile(`([RF])(\d{2,3})`)
)

// requirementsOf reads the numbers in a test's name. A subtest without a number
// of its own is part of its test.
func requirementsOf(test string) []string {
	top, sub, is := strings.Cut(test, "/")
	var ids []string
	if is {
		for _, m := range inside.FindAllStringSubmatch(sub, -1) {
			ids = append(ids, m[1])
		}
		return ids
	}
	if m := leading.FindStringSubmatch(top); m != nil {
		for _, n := range number.FindAllStringSubmatch(m[1], -1) {
			ids = append(ids, n[1]+"-"+n[2])
		}
	}
	return ids
}

// printTable prints the table. Its error names what is not proven.
func printTable(out io.Writer, proofs map[string][]testrun.Test) error {
	fmt.Fprint(out, `# What must hold, and which test says so

Made from a run of all tests under the race detector (make trust-doc); make test fails when a line here does not hold.
`)
	var unproven []string
	for _, s := range sections {
		fmt.Fprintf(out, "\n## %s\n\n| | what | tests | result |\n|---|---|---|---|\n", s.title)
		for _, r := range s.list {
			list := proofs[r.id]
			slices.SortFunc(list, func(a, b testrun.Test) int { return strings.Compare(a.Package+a.Name, b.Package+b.Name) })
			result := resultOf(list)
			if result != "pass" {
				unproven = append(unproven, r.id+" ("+result+")")
			}
			fmt.Fprintf(out, "| %s | %s | %s | %s |\n", r.id, r.what, names(list), result)
		}
	}
	if len(unproven) > 0 {
		return fmt.Errorf("not proven: %s", strings.Join(unproven, ", "))
	}
	return nil
}

func resultOf(list []testrun.Test) string {
	result := "no test"
	for _, p := range list {
		if p.Outcome != "pass" {
			return p.Outcome
		}
		result = "pass"
	}
	return result
}

// names lists tests by package.
func names(list []testrun.Test) string {
	var b strings.Builder
	last := ""
	for _, p := range list {
		switch {
		case p.Package != last && last != "":
			fmt.Fprintf(&b, "; %s: ", p.Package)
		case p.Package != last:
			fmt.Fprintf(&b, "%s: ", p.Package)
		default:
			b.WriteString(", ")
		}
		last = p.Package
		fmt.Fprintf(&b, "`%s`", p.Name)
	}
	return b.String()
}
