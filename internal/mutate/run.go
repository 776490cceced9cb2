package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is a copy of the module, the faults that can be put into it, and the tests
// that shall notice them.
type bench struct {
	dir    string
	script bool   // the faults are in TypeScript
	run    string // a regexp for names of tests
	faults []fault
	suites []*suite
	least  time.Duration // that the tests of a package have in any case
}

// suite is the tests of a package.
type suite struct {
	pkg   string
	limit time.Duration // for a run with a fault; 0 before the run without one
}

// patience is how many times as long as without a fault the tests of a package may
// take with one.
const patience = 5

// try runs the tests with a fault until one of them fails.
func (b *bench) try(ctx context.Context, f fault) (r result, compiles bool, err error) {
	r.fault = f
	src, err := os.ReadFile(filepath.Join(b.dir, f.File))
	if err != nil {
		return r, false, err
	}
	changed, diff := f.put(src)
	r.diff = diff
	for _, s := range b.suites {
		o, err := b.runWithFault(ctx, s, f.File, src, changed)
		if before := s.limit; err == nil && o.late {
			s.limit = 0 // other programs may have made the machine slower meanwhile
			if err = b.measure(ctx, s); err == nil && s.limit > before {
				o, err = b.runWithFault(ctx, s, f.File, src, changed)
			}
		}
		if r.noticed = o.failed; err != nil || o.notBuilt || r.noticed != "" {
			return r, !o.notBuilt, err
		}
	}
	return r, true, nil
}

// runWithFault puts a fault in, runs a suite, and takes the fault out again.
func (b *bench) runWithFault(ctx context.Context, s *suite, file string, src, changed []byte) (o outcome, err error) {
	if err := b.measure(ctx, s); err != nil {
		return o, err
	}
	name := filepath.Join(b.dir, file)
	if err := os.WriteFile(name, changed, 0o600); err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(name, src, 0o600)) }()
	if b.build(ctx) != nil {
		return outcome{notBuilt: true}, ctx.Err()
	}
	return s.run(ctx, b.dir, b.run)
}

// measure runs the tests of a package without a fault, if that was not done yet.
func (b *bench) measure(ctx context.Context, s *suite) error {
	if s.limit > 0 {
		return nil
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	s.limit = time.Hour
	o, err := s.run(ctx, b.dir, b.run)
	if err == nil && (o.failed != "" || o.notBuilt) {
		err = fmt.Errorf("without a fault, %s fails: %s", s.pkg, cmp.Or(o.failed, "it does not compile"))
	}
	s.limit = max(b.least, patience*o.took)
	return err
}

// build makes the bundles of the TypeScript. Types that do not fit are an error.
func (b *bench) build(ctx context.Context) error {
	if !b.script {
		return nil
	}
	if _, err := outputOf(ctx, filepath.Join(b.dir, "web"), "node", "node_modules/typescript/bin/tsc", "--noEmit"); err != nil {
		return err
	}
	_, err := outputOf(ctx, b.dir, "go", "run", "-C", "web/build", "-trimpath", ".")
	return err
}

// outcome is what a run of tests has shown.
type outcome struct {
	failed   string // the test that failed first
	late     bool
	notBuilt bool
	took     time.Duration
}

// run runs the tests of a package until one fails.
func (s *suite) run(ctx context.Context, dir, tests string) (outcome, error) {
	// The paths are left out of what is compiled, so that each copy finds what others have compiled.
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-trimpath", "-count=1", "-vet=off", "-failfast", "-p=1",
		"-timeout", s.limit.String(), "-run", tests, s.pkg)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	o := readOutcome(out.Bytes())
	if err != nil && o.failed == "" && !o.notBuilt {
		return o, fmt.Errorf("go test %s: %w\n%s", s.pkg, err, out.Bytes())
	}
	return o, nil
}

// readOutcome reads what go test -json has printed.
func readOutcome(out []byte) outcome {
	var o outcome
	var running []string
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var e struct {
			Action, Package, Test, Output, FailedBuild string
			Elapsed                                    float64
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // what the go command says to people
		}
		switch {
		case e.FailedBuild != "":
			o.notBuilt = true
		case strings.HasPrefix(e.Output, "panic: test timed out"):
			o.late = true
		case e.Action == "run":
			running = append(running, e.Test)
		case e.Action == "fail" && o.failed == "":
			// A test that ended the program has no event of its own.
			o.failed = filepath.Base(e.Package) + " " + cmp.Or(e.Test, lastOf(running))
			if o.late {
				o.failed += " (too late)"
			}
		case e.Action == "pass" || e.Action == "skip":
			running = slices.DeleteFunc(running, func(name string) bool { return name == e.Test })
		}
		if e.Test == "" && e.Elapsed > 0 {
			o.took = time.Duration(e.Elapsed * float64(time.Second))
		}
	}
	return o
}

// lastOf is the test that began last, of those that have not ended.
func lastOf(running []string) string {
	if len(running) == 0 {
		return "outside of tests"
	}
	return running[len(running)-1]
}
