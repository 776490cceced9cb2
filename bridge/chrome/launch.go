package chrome

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// shutdownGrace is how long a browser may take to end after its pipe was closed.
// Chromium writes the profile in that time.
const shutdownGrace = 5 * time.Second

// launched is a browser that was started here, at the other end of a pipe. It
// implements conn.
type launched struct {
	*pipe
	process *process
	closing atomic.Bool // by Close
}

// launchBrowser starts a browser with a pipe. Whether it has come up is known when it
// answers. The pipe needs no port, so that no other program of this machine reaches the
// browser.
func launchBrowser(o Options) (*launched, error) {
	ours, theirs, err := makePipes()
	if err != nil {
		return nil, fmt.Errorf("make a pipe to the browser: %w", err)
	}
	// Without a page to open, a Chromium with windows shows its new tab page.
	first := []string{"--remote-debugging-pipe"}
	if !slices.ContainsFunc(o.Args, isPage) {
		first = append(first, "about:blank")
	}
	browser, err := startBrowser(&o, first, theirs[:]...)
	// The browser has copies of its own.
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		for _, f := range ours {
			f.Close()
		}
		return nil, err
	}
	return &launched{pipe: newPipe(ours[0], ours[1], cmp.Or(o.limit, maxMessage)), process: browser}, nil
}

// isPage reports whether an argument is a page to open.
func isPage(arg string) bool { return !strings.HasPrefix(arg, "-") }

// makePipes makes two pipes: ours are to read from and to write to, theirs are the
// other ends, descriptors 3 and 4 of the browser. launch closes theirs once the browser has
// them: otherwise the pipe would not end with the browser.
func makePipes() (ours, theirs [2]*os.File, err error) {
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		return ours, theirs, err
	}
	toUs, fromBrowser, err := os.Pipe()
	if err != nil {
		fromUs.Close()
		toBrowser.Close()
		return ours, theirs, err
	}
	return [2]*os.File{toUs, toBrowser}, [2]*os.File{fromUs, fromBrowser}, nil
}

// Serve implements conn. A Close of this end is errClosed, whatever the pipe says.
func (l *launched) Serve(to receiver) error {
	l.serve(to)                 //nolint:errcheck // how the process ended says more
	closing := l.closing.Load() // read before end: a Close that comes later is not why the browser ended
	l.end()
	if closing {
		return errClosed
	}
	return l.process.failure()
}

// usage implements inspectable.
func (l *launched) usage() usage { return l.process.usage() }

// endRenderer implements inspectable.
func (l *launched) endRenderer(pid int) { l.process.endRenderer(pid) }

// Close implements conn.
func (l *launched) Close() {
	l.closing.Store(true)
	l.end()
}

// end hangs up, upon which Chromium ends by itself. One with a profile that is
// kept has time for it. It may be called more than once, from Close and from Serve.
func (l *launched) end() {
	l.close()
	patience := shutdownGrace
	if !l.process.profile.kept && l.closing.Load() {
		patience = 0
	}
	l.process.end(patience)
}

// Window is a browser without a debugging pipe, which shows a page. It is for a person: no
// program can drive it.
type Window struct{ process *process }

// Show opens a page in a browser without a debugging pipe. The options must not
// name a URL. Whoever opens one must close it.
func Show(o Options, page string) (*Window, error) {
	p, err := startBrowser(&o, []string{page})
	if err != nil {
		return nil, err
	}
	return &Window{p}, nil
}

// Close ends the browser.
func (w *Window) Close() { w.process.end(0) }

// Gone is closed when the browser has ended.
func (w *Window) Gone() <-chan struct{} { return w.process.gone }

// Failure says how a browser that has gone ended, and what to do.
func (w *Window) Failure() error { return w.process.failure() }
