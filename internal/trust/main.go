// Command trust keeps docs/trust.md, the table of what must hold and of the
// tests that prove it. A test belongs to the requirements that its name begins
// with, TestR24ScopesRefuseWrites, or that the name of a subtest has,
// TestScopes/R-24_writes.
//
//	go run ./internal/trust -write docs/trust.md   from the names of the tests
//	go run ./internal/trust -check docs/trust.md   fails when the file is stale
//	go test -json ./... | go run ./internal/trust -outcome
//
// All fail when a requirement has no test; the last one also when one of its
// tests did not pass.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/testrun"
)

func main() {
	write := flag.String("write", "", "write the table to this `file`")
	check := flag.String("check", "", "compare the table with this `file`")
	outcome := flag.Bool("outcome", false, "read a run of the tests from standard input")
	flag.Parse()
	if err := run(".", *write, *check, *outcome, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
}

func run(root, write, check string, outcome bool, in io.Reader) error {
	if outcome {
		tests, err := testrun.Read(in)
		if err != nil {
			return err
		}
		return proven(tests)
	}
	names, err := namesIn(root)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := printTable(&text, names); err != nil {
		return err
	}
	if write != "" {
		return os.WriteFile(write, text.Bytes(), 0o644) //nolint:gosec // it is for everybody to read
	}
	kept, err := os.ReadFile(check)
	if err == nil && !bytes.Equal(kept, text.Bytes()) {
		err = fmt.Errorf("%s is stale: run make trust-doc", check)
	}
	return err
}

var (
	leading = regexp.MustCompile(`^(?:Test|Fuzz)((?:[RF]\d{2,3})+)(?:[^0-9]|$)`)
	inside  = regexp.MustCompile(`(?:^|[/_ ])([RF]-\d{2,3})(?:[^0-9]|$)`)
	number  = regexp.MustCompile(`([RF])(\d{2,3})`)
)

// requirementsOf reads the numbers in a test's name. A subtest without a number of
// its own is part of its test. The number in a test's own name does not count for its
// subtests: a test may prove several requirements, one in each.
func requirementsOf(test string) []string {
	top, sub, is := strings.Cut(test, "/")
	if is {
		return subtestIDs(sub)
	}
	var ids []string
	if m := leading.FindStringSubmatch(top); m != nil {
		for _, n := range number.FindAllStringSubmatch(m[1], -1) {
			ids = append(ids, n[1]+"-"+n[2])
		}
	}
	return ids
}

// printTable prints the table. Its error names what has no test.
func printTable(out io.Writer, names map[string][]named) error {
	fmt.Fprint(out, `# Requirements and their tests

This page lists the security and reliability requirements of the hub, with the tests that prove each of them. `+"`make trust-doc`"+` makes the
page from the names of the tests. `+"`make test`"+` runs all of them, and fails when a requirement has no test or one of its tests fails.
`)
	var missing []string
	for _, s := range sections {
		fmt.Fprintf(out, "\n## %s\n\n| | what | tests |\n|---|---|---|\n", s.title)
		for _, r := range s.list {
			if len(names[r.id]) == 0 {
				missing = append(missing, r.id)
			}
			fmt.Fprintf(out, "| %s | %s | %s |\n", r.id, r.what, list(names[r.id]))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no test has these numbers in its name: %s", strings.Join(missing, ", "))
	}
	return nil
}

// list lists tests by package.
func list(tests []named) string {
	var b strings.Builder
	last := ""
	for _, n := range tests {
		switch {
		case n.pkg != last && last != "":
			fmt.Fprintf(&b, "; %s: ", n.pkg)
		case n.pkg != last:
			fmt.Fprintf(&b, "%s: ", n.pkg)
		default:
			b.WriteString(", ")
		}
		last = n.pkg
		fmt.Fprintf(&b, "`%s`", n.test)
	}
	return b.String()
}

// proven says which requirements a run does not prove: those of whose tests none
// ran, or one did not pass.
func proven(tests []testrun.Test) error {
	outcomes := map[string][]string{}
	for _, t := range tests {
		for _, id := range requirementsOf(t.Name) {
			outcomes[id] = append(outcomes[id], t.Outcome)
		}
	}
	var unproven []string
	for _, s := range sections {
		for _, r := range s.list {
			if len(outcomes[r.id]) == 0 {
				unproven = append(unproven, r.id+" (no test)")
			} else if i := slices.IndexFunc(outcomes[r.id], func(o string) bool { return o != "pass" }); i >= 0 {
				unproven = append(unproven, r.id+" ("+outcomes[r.id][i]+")")
			}
		}
	}
	if len(unproven) > 0 {
		return fmt.Errorf("not proven: %s", strings.Join(unproven, ", "))
	}
	return nil
}
