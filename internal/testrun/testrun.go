// Package testrun reads what go test -json prints, for the pages that are made
// of it: docs/trust.md, docs/actions.md.
package testrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

const module = "github.com/cdphub/cdphub/"

// Test is a test, or a subtest, and what became of it.
type Test struct {
	Package string            // below the module's path
	Name    string            // TestA/with_a_subtest
	Outcome string            // pass, skip or fail: of its last run, since the gate runs a test that failed once more
	Attr    map[string]string // what it has told by t.Attr
}

// Read returns the tests of a run, in the order in which they began.
func Read(in io.Reader) ([]Test, error) {
	var list []*Test
	known := make(map[[2]string]*Test)
	for d := json.NewDecoder(in); ; {
		var e struct{ Action, Package, Test, Key, Value string }
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("this is not the output of go test -json: %w", err)
		}
		if e.Test == "" {
			continue
		}
		t := known[[2]string{e.Package, e.Test}]
		if t == nil {
			t = &Test{Package: strings.TrimPrefix(e.Package, module), Name: e.Test, Attr: make(map[string]string)}
			known[[2]string{e.Package, e.Test}] = t
			list = append(list, t)
		}
		switch e.Action {
		case "run": // once more, perhaps
			t.Outcome, t.Attr = "", make(map[string]string)
		case "pass", "skip", "fail":
			t.Outcome = e.Action
		case "attr":
			t.Attr[e.Key] = e.Value
		}
	}
	tests := make([]Test, len(list))
	for i, t := range list {
		tests[i] = *t
		if t.Outcome == "" { // it has not ended
			tests[i].Outcome = "fail"
		}
	}
	return tests, nil
}

// Page prints a page about a run. Its error says what the run does not prove;
// what it has printed is then of use to see that.
type Page func(out io.Writer, tests []Test) error

// Main is the whole of a command that makes a page of its standard input. -write
// names the file to write, -check a file that must be equal to the page. target is
// the target of make that writes that file again.
func Main(page Page, target string) {
	write := flag.String("write", "", "write the page to this `file`")
	check := flag.String("check", "", "compare the page with this `file`")
	flag.Parse()
	if err := Run(os.Stdin, page, *write, *check, target); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", flag.CommandLine.Name(), err)
		os.Exit(1)
	}
}

// Run writes a page, or checks it, where a file is named for that.
func Run(in io.Reader, page Page, write, check, target string) error {
	tests, err := Read(in)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	bad := page(&text, tests)
	if write != "" {
		err = os.WriteFile(write, text.Bytes(), 0o644) //nolint:gosec // it is for everybody to read
	}
	if bad != nil || err != nil || check == "" {
		return errors.Join(err, bad)
	}
	kept, err := os.ReadFile(check)
	if err != nil {
		return err
	}
	if !bytes.Equal(kept, text.Bytes()) {
		return fmt.Errorf("%s is stale: run make %s", check, target)
	}
	return nil
}
