// Command mutate puts faults into a package, one at a time, and says which of them
// the tests notice: statements and checks left out, conditions negated, bounds moved
// by one, entries of lists left out, arguments swapped.
//
//	go run ./internal/mutate -pkg ./relay/quota -n 40 -seed 1
//	go run ./internal/mutate -pkg ./server -run Upload -n 10   by these tests alone
//	go run ./internal/mutate -pkg ./web/src/agent -n 10        TypeScript, by ./web/test
//
// It works in a copy of the module. The tests are those of the package, then those of
// the packages that import it; -by names others. A fault that does not compile does
// not count. A fault that survives is a hole in the tests, unless it changes nothing,
// which only a person can tell.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// options are what the flags say.
type options struct {
	pkg, by, skip, run string
	count              int
	seed               uint64
}

func main() {
	var o options
	flag.StringVar(&o.pkg, "pkg", "", "put faults into this `package`, or folder below web/src")
	flag.StringVar(&o.by, "by", "", "run the tests of these `packages`, not those of the package and of its importers")
	flag.StringVar(&o.skip, "skip", "^$", "leave out importers that this `regexp` matches")
	flag.StringVar(&o.run, "run", "", "run only tests that this `regexp` matches")
	flag.IntVar(&o.count, "n", 40, "how many faults")
	flag.Uint64Var(&o.seed, "seed", 1, "which faults are taken")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := putFaults(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

// result is what became of a fault.
type result struct {
	fault

	diff    string
	noticed string // the test that noticed it; empty if none did
}

// putFaults tries faults until as many as are wanted have compiled, and prints what
// became of them.
func putFaults(ctx context.Context, o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := newBench(ctx, dir, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d possible faults in %s\n", len(b.faults), o.pkg)
	var results []result
	for _, i := range rand.New(rand.NewPCG(o.seed, 0)).Perm(len(b.faults)) {
		if len(results) == o.count {
			break
		}
		r, compiles, err := b.try(ctx, b.faults[i])
		if err != nil {
			return err
		}
		if compiles {
			results = append(results, r)
			fmt.Fprintf(out, "%3d  %s\n", len(results), r)
		}
	}
	printTable(out, results)
	return nil
}

// String is a line that says what became of the fault.
func (r result) String() string {
	outcome := "SURVIVED"
	if r.noticed != "" {
		outcome = "noticed by " + r.noticed
	}
	return fmt.Sprintf("%s:%d  %s  %s", r.File, r.Line, r.Kind, outcome)
}

// printTable prints each fault with its diff, those that survived at the end.
func printTable(out io.Writer, results []result) {
	survived := 0
	for _, noticed := range []bool{true, false} {
		for _, r := range results {
			if (r.noticed != "") == noticed {
				fmt.Fprintf(out, "\n%s\n%s", r, r.diff)
			}
			if !noticed && r.noticed == "" {
				survived++
			}
		}
	}
	fmt.Fprintf(out, "\n%d of %d faults were noticed, %d survived.\n", len(results)-survived, len(results), survived)
}

// newBench copies the module to dir, lists the faults, and runs the tests without any.
func newBench(ctx context.Context, dir string, o options) (*bench, error) {
	if err := copyModule(ctx, ".", dir); err != nil {
		return nil, err
	}
	b := &bench{dir: dir, run: o.run, least: 10 * time.Second}
	folder := path.Clean(filepath.ToSlash(o.pkg))
	b.script = folder == "web/src" || strings.HasPrefix(folder, "web/src/")
	var by []string
	var err error
	if b.script {
		by = []string{"./web/test"}
		b.faults, err = scriptFaults(ctx, dir, folder)
	} else {
		b.faults, by, err = packageFaults(ctx, dir, folder, o.skip)
	}
	if err != nil {
		return nil, err
	}
	if o.by != "" {
		by = strings.Fields(o.by)
	}
	for _, pkg := range by {
		b.suites = append(b.suites, &suite{pkg: pkg})
	}
	return b, b.build(ctx)
}
