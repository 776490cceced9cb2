package harness

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// Soon is how long a command may take that ends at once, on a machine with other
// work. Playwright and agent-browser give one up that is never answered after 25 to 30 s.
const Soon = 20 * time.Second

// Started is how long a browser or the hub may take to be there, and a message to come,
// on such a machine.
const Started = 3 * time.Minute

var target = flag.String("target", "hub", "what the clients drive: hub (an iframe), browser (a Chromium behind a hub), or chromium itself")

var scope = flag.String("scope", "", "the scope of the token that clients of a browser behind a hub have: none without")

// Privileged reports whether the clients may do what needs scope privileged, such as
// an upload by path.
func Privileged() bool { return *scope == "" || *scope == "privileged" }

// NotPrivileged is what the hub answers with otherwise, after the method.
const NotPrivileged = "needs scope privileged"

var scratch string // set by Main

// Main runs the tests of a package and returns the exit code. It sets folder to that
// of everything the run leaves behind, which it removes at the end.
func Main(m *testing.M, folder *string) int {
	flag.Parse()
	if !slices.Contains([]string{"hub", "browser", "chromium"}, *target) {
		fmt.Fprintf(os.Stderr, "-target=%s: want hub, browser or chromium\n", *target)
		return 2
	}
	var err error
	// Not t.TempDir: agent-browser puts Unix sockets below it, whose paths are short.
	if scratch, err = os.MkdirTemp("", "cdphub-e2e"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	*folder = scratch
	// Clients that are killed leave their temporary files behind.
	if err := os.Setenv("TMPDIR", scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Target is what the clients drive: "hub", "browser" or "chromium".
func Target() string { return *target }

// ThroughHub says whether the clients drive an iframe, and not a whole browser.
func ThroughHub() bool { return *target == "hub" }

// LookUp finds a program by the variable that names it, or under the first of the
// names that exists. The path is absolute.
func LookUp(variable string, names ...string) (string, error) {
	if path := os.Getenv(variable); path != "" {
		names = []string{path}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("none of %q is there; %s may name one", names, variable)
}

// environment is that of the test binary before tests change it. A test that
// sets HOME would else have Go build all packages anew, in a new cache.
var environment = os.Environ()

// CDPHub returns the path of the program, which it builds once unless CDPHUB names
// one.
var CDPHub = sync.OnceValues(func() (string, error) {
	if os.Getenv("CDPHUB") != "" {
		return LookUp("CDPHUB")
	}
	return hubtest.Program(filepath.Join(Repository(), "cmd", "cdphub"))
})

// InstallNode installs the Node modules of a folder by its lock file, if that has
// not been done. It runs no script of theirs and downloads no browser. Several test
// programs may need one folder at a time: one installs, and the others wait.
func InstallNode(dir string) error {
	wanted := filepath.Join(dir, "package-lock.json")
	lock, err := os.Open(wanted) //nolint:gosec // a file of the repository
	if err != nil {
		return err
	}
	defer lock.Close() // and with it ends the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", wanted, err)
	}
	if newer(filepath.Join(dir, "node_modules", ".package-lock.json"), wanted) {
		return nil
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir, install.Env = dir, environment
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}

// newer reports whether a file is there and not older than another one. npm writes
// node_modules/.package-lock.json last.
func newer(file, than string) bool {
	a, err := os.Stat(file)
	if err != nil {
		return false
	}
	b, err := os.Stat(than)
	return err == nil && !a.ModTime().Before(b.ModTime())
}

// Repository is the folder of this repository: the one above the test's own that
// has cmd/cdphub.
func Repository() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "cdphub")); err == nil {
			return dir
		}
	}
	panic("the tests run outside of their repository")
}

// Start starts a program. The end of the test interrupts it, and it must end well then.
func Start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q ended with %v", cmd.Args, err)
		}
	})
}

// Eventually polls until done returns nil, and fails the test with what it returned
// last.
func Eventually(t testing.TB, limit time.Duration, done func() error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
