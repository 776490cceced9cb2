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
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	write := flag.String("write", "", "write the table to this `file`")
	check := flag.String("check", "", "compare the table with this `file`")
	flag.Parse()
	if err := run(os.Stdin, *write, *check); err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
}

// run writes the table, or checks it, where a file is named for that.
func run(in io.Reader, write, check string) error {
	proofs, err := read(in)
	if err != nil {
		return err
	}
	var table bytes.Buffer
	bad := printTable(&table, proofs)
	if write != "" {
		err = os.WriteFile(write, table.Bytes(), 0o644) //nolint:gosec // it is for everybody to read
	}
	if bad != nil || err != nil || check == "" {
		return errors.Join(err, bad)
	}
	kept, err := os.ReadFile(check)
	if err != nil {
		return err
	}
	if !bytes.Equal(kept, table.Bytes()) {
		return fmt.Errorf("%s is stale: run make trust-doc", check)
	}
	return nil
}

// proof is a test and what became of it: pass, fail or skip.
type proof struct{ pkg, test, outcome string }

// read collects the tests of each requirement.
func read(in io.Reader) (map[string][]proof, error) {
	proofs := map[string][]proof{}
	d := json.NewDecoder(in)
	for {
		var e struct{ Action, Package, Test string }
		switch err := d.Decode(&e); {
		case errors.Is(err, io.EOF):
			return proofs, nil
		case err != nil:
			return nil, fmt.Errorf("this is not the output of go test -json: %w", err)
		}
		if e.Test == "" || !slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			continue
		}
		for _, id := range requirementsOf(e.Test) {
			pkg := strings.TrimPrefix(e.Package, "github.com/cdphub/cdphub/")
			p := proof{pkg, e.Test, e.Action}
			// A package may run more than once: the worst outcome counts.
			i := slices.IndexFunc(proofs[id], func(q proof) bool { return q.pkg == p.pkg && q.test == p.test })
			switch {
			case i < 0:
				proofs[id] = append(proofs[id], p)
			case proofs[id][i].outcome == "pass":
				proofs[id][i].outcome = p.outcome
			}
		}
	}
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
func printTable(out io.Writer, proofs map[string][]proof) error {
	fmt.Fprint(out, `# What must hold, and which test says so

Made from a run of all tests under the race detector (make trust-doc); make test fails when a line here does not hold.
`)
	var unproven []string
	for _, s := range sections {
		fmt.Fprintf(out, "\n## %s\n\n| | what | tests | result |\n|---|---|---|---|\n", s.title)
		for _, r := range s.list {
			list := proofs[r.id]
			slices.SortFunc(list, func(a, b proof) int { return strings.Compare(a.pkg+a.test, b.pkg+b.test) })
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

func resultOf(list []proof) string {
	result := "no test"
	for _, p := range list {
		if p.outcome != "pass" {
			return p.outcome
		}
		result = "pass"
	}
	return result
}

// names lists tests by package.
func names(list []proof) string {
	var b strings.Builder
	last := ""
	for _, p := range list {
		switch {
		case p.pkg != last && last != "":
			fmt.Fprintf(&b, "; %s: ", p.pkg)
		case p.pkg != last:
			fmt.Fprintf(&b, "%s: ", p.pkg)
		default:
			b.WriteString(", ")
		}
		last = p.pkg
		fmt.Fprintf(&b, "`%s`", p.test)
	}
	return b.String()
}
