package docs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/docstest"
	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// within is how long one command of the documentation may take.
const within = 2 * time.Minute

// TestBlocks does what each block declares.
func TestBlocks(t *testing.T) {
	blocks, err := docstest.Blocks(harness.Repository())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		t.Run(fmt.Sprintf("%s:%d", b.File, b.Line), func(t *testing.T) {
			switch b.Kind {
			case "skip":
				t.Skip(b.Reason)
			case "app", "host":
				t.Skip("see TestOwnPages")
			case "proxy":
				t.Skip("see internal/e2e/reverseproxy")
			case "cluster":
				t.Skip("see the tests of internal/cluster/nats")
			}
			newRun(t, b).do(t)
		})
	}
}

// run is the test of one block.
type run struct {
	block docstest.Block
	dir   string // of its own, where it runs
	ports ports
	text  string // the block's, with the ports
}

// newRun prepares the folder, and starts the cdphub that the block needs.
func newRun(t *testing.T, b docstest.Block) *run {
	t.Helper()
	p := freePorts(t, example(t))
	dir, err := os.MkdirTemp(scratch, "b") // not t.TempDir: the paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	r := &run{block: b, dir: dir, ports: p, text: p.in(b.Text)}
	if len(b.With) > 0 {
		start(t, p, command(t, dir, "cdphub", strings.Fields(p.in(strings.Join(b.With, " ")))...))
	}
	return r
}

var written = regexp.MustCompile(`Driven by [A-Za-z-]+`)

func (r *run) do(t *testing.T) {
	t.Helper()
	switch r.block.Kind + " " + r.block.Lang {
	case "run sh":
		r.shell(t)
	case "run js":
		r.end(t, "node", r.file(t, "block.mjs", r.text))
	case "playwright js":
		r.end(t, "playwright", "test", "--reporter=line", filepath.Base(r.file(t, "block.spec.mjs", r.text)))
	case "run go":
		r.end(t, r.build(t))
	case "start go":
		start(t, r.ports, command(t, r.dir, r.build(t)))
	case "config yaml", "config json":
		cmd := command(t, r.dir, "cdphub", "serve", "--config", r.file(t, "cdphub.yaml", r.text))
		if strings.Contains(r.text, "browser: true") {
			cmd.Env = append(cmd.Env, withoutSandbox()...)
		}
		start(t, r.ports, cmd)
	case "tokens yaml":
		start(t, r.ports, command(t, r.dir, "cdphub", "serve", "--tokens", r.file(t, "tokens.yaml", r.text)))
	case "mcp json":
		r.mcp(t)
	default:
		t.Fatalf("there is no test %q for a block of %s", r.block.Kind, r.block.Lang)
	}
}

// file writes a file into the folder, beside the Node modules.
func (r *run) file(t *testing.T, name, text string) string {
	t.Helper()
	modules, err := install()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(r.dir, "node_modules")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// build compiles the program of a block, with the modules of this repository or
// those of the end-to-end tests.
func (r *run) build(t *testing.T) string {
	t.Helper()
	cmd := command(t, "..", "go", "build", "-o", filepath.Join(r.dir, "block"), r.file(t, "main.go", r.text))
	if strings.Contains(r.text, `"github.com/cdphub/`) {
		cmd.Dir = harness.Repository()
	}
	cmd.Env = append(cmd.Env, "HOME="+os.Getenv("HOME")) // where Go keeps what it has built
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(r.dir, "block")
}

// end runs a program that ends by itself, with success and having printed
// something.
func (r *run) end(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := command(t, r.dir, name, args...)
	cmd.Env = append(cmd.Env, r.ports.env()...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second // a program that it leaves behind may keep the pipe open
	timer := time.AfterFunc(within, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	// What the examples write into the demo, they print in the end.
	if err != nil || said.Len() == 0 || !strings.Contains(said.String(), written.FindString(r.text)) {
		t.Errorf("%s %q: %v, it printed\n%s", name, args, err, &said)
	}
}
