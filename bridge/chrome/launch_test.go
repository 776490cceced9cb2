package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// launchOne launches a browser that is ended with the test.
func launchOne(t *testing.T, o Options) *launched {
	t.Helper()
	c, err := openBrowser(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.(*launched)
}

func TestLaunch(t *testing.T) {
	l := launchOne(t, options(t))
	dir, group := l.process.profile.dir, l.process.cmd.Process.Pid
	c := newClient(t, l)
	if p := c.product(); !strings.Contains(p, "Chrome") {
		t.Errorf("the product is %q", p)
	}
	if len(processesOf(t, dir, group)) < 2 {
		t.Error("the browser's processes are not found while it runs")
	}
	l.Close()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("after Close of the folder: %v", err)
	}
	noProcessLeft(t, dir, group)
	if err := c.end(); !errors.Is(err, errClosed) {
		t.Errorf("Serve returned %v", err)
	}
	if l.OfferOwn(nil, frame("{}")) == nil {
		t.Error("a message was taken after Close")
	}
	l.Close()
}

// TestLaunchCloseWithin closes the connection while a message is handled.
func TestLaunchCloseWithin(t *testing.T) {
	l := launchOne(t, shellOptions(t))
	l.OfferOwn(nil, frame(`{"id":1,"method":"Browser.getVersion"}`))
	if err := l.Serve(receiver{receive: func([]byte) { l.Close() }}); !errors.Is(err, errClosed) {
		t.Errorf("Serve returned %v", err)
	}
}

// TestLaunchLargeMessages sends 8 MiB to the browser and gets 64 from it.
func TestLaunchLargeMessages(t *testing.T) {
	c := newClient(t, launchOne(t, shellOptions(t)))
	page := c.page()
	if m := c.evaluate(page, "'"+strings.Repeat("x", 8<<20)+"'.length"); !strings.Contains(m, `"value":8388608,`) {
		t.Errorf("the browser counted %.200s", m)
	}
	if m := c.evaluate(page, "'y'.repeat(64 << 20)"); strings.Count(m, "y") < 64<<20 || !strings.HasSuffix(m, `"sessionId":"`+page+`"}`) {
		t.Errorf("%d bytes came back: %.200s", len(m), m)
	}
}

// TestLaunchKeepsAProfile wants the user's own folder to be there afterwards,
// and the browser to have had time to write to it.
func TestLaunchKeepsAProfile(t *testing.T) {
	o := options(t)
	o.Profile = t.TempDir()
	l := launchOne(t, o)
	newClient(t, l).product()
	l.Close()
	noProcessLeft(t, o.Profile, l.process.cmd.Process.Pid)
	if state := l.process.cmd.ProcessState; !state.Success() {
		t.Errorf("the browser did not end in order: %v", state)
	}
	if _, err := os.Stat(filepath.Join(o.Profile, "Local State")); err != nil {
		t.Error(err)
	}
}

// TestLaunchedDies kills a browser that has answered.
func TestLaunchedDies(t *testing.T) {
	l := launchOne(t, shellOptions(t))
	c := newClient(t, l)
	c.product()
	l.process.cmd.Process.Kill()
	if err := c.end(); err == nil || !strings.Contains(err.Error(), "ended: signal: killed") {
		t.Errorf("Serve returned %v", err)
	}
	nothingLeft(t, l.process.profile.dir, l.process.cmd.Process.Pid)
}

// TestLaunchedLeavesNothingTemporary ends a browser in both ways, and looks for
// what Chromium puts into the folder for temporary files.
func TestLaunchedLeavesNothingTemporary(t *testing.T) {
	dir, err := os.MkdirTemp("", "launch") // t.TempDir is too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	kept := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for name, c := range map[string]struct {
		profile string
		end     func(*launched)
	}{
		"closed":              {"", func(l *launched) { l.Close() }},
		"killed":              {"", func(l *launched) { killGroup(l.process.cmd) }},
		"kept profile":        {kept, func(l *launched) { l.Close() }},
		"kept profile killed": {kept, func(l *launched) { killGroup(l.process.cmd) }},
	} {
		t.Run(name, func(t *testing.T) {
			o, end := options(t), c.end
			o.Profile = c.profile
			l := launchOne(t, o)
			c := newClient(t, l)
			c.product()
			end(l)
			c.end()
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind are %v, %v", left, err)
			}
		})
	}
}

// script makes an executable.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLaunchFails(t *testing.T) {
	cases := []struct {
		name string
		path string
		kept bool
		want []string
	}{
		{
			name: "says nothing",
			path: "/bin/false",
			want: []string{"/bin/false ended: exit status 1"},
		},
		{
			name: "says much",
			path: script(t, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); echo line $i >&2; done; printf 'no newline' >&2; exit 7"),
			want: []string{"exit status 7", "; it said: line 99996 | ", "line 100000 | no newline"},
		},
		{
			name: "root",
			path: script(t, "echo '[1:ERROR:content/zygote.cc:103] Running as root without --no-sandbox is not supported.' >&2; exit 1"),
			want: []string{"as another user, or set chrome.Options.NoSandbox", "it said: [1:ERROR"},
		},
		{
			name: "another runs in the profile",
			path: script(t, "exit 0"),
			kept: true,
			want: []string{"exit status 0: another browser uses this profile"},
		},
		{
			name: "leaves a child that holds everything",
			path: script(t, "sleep 1000 & exit 3"),
			want: []string{"exit status 3"},
		},
		{
			name: "closes the pipe and goes on",
			path: script(t, "exec 3<&- 4>&-; trap '' TERM; sleep 1000"),
			want: []string{"signal: killed"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := options(t)
			o.Path = c.path
			if c.kept {
				o.Profile = t.TempDir()
			}
			l := launchOne(t, o)
			err := newClient(t, l).end()
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant in it: %s", err, want)
				}
			}
			if !c.kept {
				nothingLeft(t, l.process.profile.dir, l.process.cmd.Process.Pid)
			}
		})
	}
}

// TestLaunchWithSandbox wants a browser that answers. Where no sandbox is
// possible, as for root, it wants an error that says what to do.
func TestLaunchWithSandbox(t *testing.T) {
	c := newClient(t, launchOne(t, Options{}))
	c.conn.OfferOwn(nil, frame(`{"id":1,"method":"Browser.getVersion"}`))
	select {
	case m := <-c.messages:
		if os.Geteuid() == 0 || !strings.Contains(m, "Chrome") {
			t.Errorf("the browser answered %s", m)
		}
	case err := <-c.ended:
		if err == nil || !strings.Contains(err.Error(), ", or set chrome.Options.NoSandbox") {
			t.Errorf("Serve returned %v", err)
		}
	case <-time.After(patience):
		t.Error("the browser neither answered nor ended")
	}
}

// TestLaunchNothing has no process to start.
func TestLaunchNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for path, want := range map[string]string{
		"/nowhere/chrome":     "no browser at /nowhere/chrome",
		script(t, "")[1:]:     "no browser at",
		badInterpreter(t):     "start the browser",
		filepath.Dir("/bin/"): "no browser at /bin",
	} {
		_, err := openBrowser(t.Context(), Options{Path: path})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want in it %q", path, err, want)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func badInterpreter(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/nowhere/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLaunchHidesTokens wants the hub's variables to stay its own, and what
// the browser says to be logged.
func TestLaunchHidesTokens(t *testing.T) {
	t.Setenv("CDPHUB_TOKEN", "secret")
	core, logs := observer.New(zap.DebugLevel)
	o := Options{Path: script(t, "env >&2; echo the end >&2"), Log: zap.New(core)}
	newClient(t, launchOne(t, o)).end()
	said := 0
	for _, entry := range logs.FilterMessage("the browser says").All() {
		said++
		if line := entry.ContextMap()["line"].(string); strings.Contains(line, "secret") {
			t.Errorf("the browser has %s", line)
		}
	}
	if said < 2 {
		t.Errorf("%d lines were logged", said)
	}
}

// TestShow opens a page that nobody drives.
func TestShow(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	window, err := Show(options(t), "about:blank#shown")
	if err != nil {
		t.Fatal(err)
	}
	found := processesOf(t, "about:blank#shown", 0)
	window.Close()
	<-window.Gone()
	if len(found) == 0 {
		t.Error("no process shows the page")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	noProcessLeft(t, dir+"/cdphub-browser-", 0)
}
