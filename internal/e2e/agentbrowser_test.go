package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/clients"
	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// client is agent-browser with a session and a home of its own.
type client struct {
	path, port, home string
	site             *site
}

// newClient prepares an agent-browser for the endpoint. Its daemon, which the first
// command starts, ends with the test.
func newClient(t *testing.T, e *endpoint) *client {
	t.Helper()
	path, err := agentBrowser()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp(scratch, "ab")
	if err != nil {
		t.Fatal(err)
	}
	c := &client{path: path, port: e.port, home: home, site: e.site}
	t.Cleanup(func() {
		if out, err := c.command("close"); err != nil { // with --cdp it would connect first
			t.Errorf("close: %v\n%s", err, out)
		}
	})
	return c
}

// run runs one command on the endpoint and returns all that it printed.
func (c *client) run(args ...string) (string, error) {
	return c.command(append([]string{"--cdp", c.port}, args...)...)
}

// command runs one command. In the arguments $APP is the app's origin and $HOME the
// client's folder.
func (c *client) command(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*harness.Started) // it gives up itself after 30 s
	defer cancel()
	words := strings.NewReplacer("$APP", c.site.app.URL, "$HOME", c.home, "$PORT", c.port)
	all := []string{"--session", "e2e"}
	for _, arg := range args {
		all = append(all, words.Replace(arg))
	}
	cmd := exec.CommandContext(ctx, c.path, all...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "XDG_RUNTIME_DIR=" + c.home,
		"NO_COLOR=1", "AGENT_BROWSER_NO_VERSION_CHECK=1",
	}
	cmd.Dir = c.home
	cmd.WaitDelay = time.Second // the daemon inherits the output of the command that starts it
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return strings.TrimSpace(out.String()), err
}

// TestAgentBrowser runs the table of steps_test.go, section by section, each
// beginning with the app's page opened anew.
func TestAgentBrowser(t *testing.T) { runSections(t, newEndpoint(t)) }

func runSections(t *testing.T, e *endpoint) {
	t.Helper()
	c := newClient(t, e)
	for _, s := range sections {
		t.Run(s.name, func(t *testing.T) {
			if out, err := c.run("open", "$APP"+appPage); err != nil {
				t.Fatalf("open: %v\n%s", err, out)
			}
			for _, st := range s.steps {
				passed := t.Run(st.name, func(t *testing.T) { c.step(t, st) })
				count(t, st, passed)
				if !passed {
					t.Logf("%s went wrong; the steps after it may follow from that", st.name)
				}
			}
		})
	}
}

// featureOf is the feature that a command belongs to; others are not counted.
var featureOf = map[string]string{
	"open": "goto", "reload": "reload", "back": "back", "forward": "forward", "wait": "wait for",
	"click": "click", "dblclick": "dblclick", "hover": "hover", "drag": "drag", "mouse": "click", "scroll": "mouse wheel",
	"scrollintoview": "mouse wheel", "fill": "fill", "type": "type", "press": "press", "keyboard": "keyboard shortcuts",
	"keydown": "press", "keyup": "press", "check": "check", "uncheck": "check", "select": "select", "upload": "upload",
	"eval": "evaluate", "console": "console", "errors": "page error", "dialog": "dialog", "network": "intercept",
	"cookies": "cookies", "storage": "storage", "screenshot": "screenshot", "pdf": "pdf", "frame": "frames",
	"find": "locators", "snapshot": "accessibility", "get": "DOM nodes", "is": "DOM nodes", "tab": "new page", "set": "emulation",
	"profiler": "profiling",
}

// featureOfName is the feature of the steps that have this name, or begin with it and a
// colon, where the command alone does not tell.
var featureOfName = map[string]string{
	"connect": "connect", "tab list": "list pages", "tab close": "close", "eval: error": "evaluate errors", "eval: promise": "evaluate promises",
	"network requests": "request and response events", "set viewport": "viewport", "screenshot of an element": "element screenshot",
}

// count records the outcome of a step for the table of clients and features.
func count(t *testing.T, s step, passed bool) {
	feature := featureOf[s.run[0]]
	for name, special := range featureOfName {
		if s.name == name || strings.HasPrefix(s.name, name+":") {
			feature = special
		}
	}
	if feature == "" {
		return
	}
	r := clients.Result{Client: "agent-browser", Feature: feature, Test: s.name, Target: harness.Target(), Result: clients.Works}
	switch {
	case !passed:
		r.Result = clients.Fails
	case s.refused != "" && harness.ThroughHub():
		r.Result, r.Reason = clients.Cannot, "The error says: "+s.refused+"."
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	if err := r.Record(); err != nil {
		t.Error(err)
	}
}

// Elements are named by the refs that a snapshot gave out.
func TestRefs(t *testing.T) {
	e := newEndpoint(t)
	c := newClient(t, e)
	out, err := c.run("snapshot", "-i")
	if err != nil {
		t.Fatalf("snapshot: %v\n%s", err, out)
	}
	ref := func(line string) string {
		found := regexp.MustCompile(regexp.QuoteMeta(line) + `.*\bref=(e\d+)`).FindStringSubmatch(out)
		if found == nil {
			t.Fatalf("no ref for %s in\n%s", line, out)
		}
		return "@" + found[1]
	}
	plus, name, far := ref(`button "Add one"`), ref(`textbox "Name"`), ref(`button "Far away"`)
	for _, s := range []step{
		{run: ab("click", plus), ask: text("count"), want: `"1"`},
		{run: ab("fill", name, "Ada"), ask: value("name"), want: `"Ada"`},
		{run: ab("get", "text", plus), says: "Add one"},
		{run: ab("is", "enabled", plus), says: "true"},
		{run: ab("click", far), ask: seen("far", "click"), want: `["click"]`},
		{run: ab("reload"), ask: text("count"), want: `"0"`},
		{run: ab("click", plus), fails: "Unknown ref"},
	} {
		c.step(t, s)
	}
}

// step runs one row of the table.
func (c *client) step(t *testing.T, s step) {
	t.Helper()
	out, err := c.run(s.run...)
	fails := s.fails
	if throughHub() && s.refused != "" {
		fails = s.refused
	}
	switch {
	case fails == "" && err != nil:
		t.Fatalf("%q: %v\n%s", s.run, err, out)
	case fails != "" && err == nil:
		t.Fatalf("%q succeeded, want an error with %q; it said\n%s", s.run, fails, out)
	case !strings.Contains(out, fails):
		t.Fatalf("%q failed with\n%s\nwant %q", s.run, out, fails)
	}
	if throughHub() && s.refused != "" {
		return
	}
	wrong := s.spoken(strings.ReplaceAll(out, c.site.app.URL, "$APP"))
	for end := time.Now().Add(harness.Soon); s.late && wrong != nil && time.Now().Before(end); {
		if out, err = c.run(s.run...); err != nil {
			t.Fatalf("%q: %v\n%s", s.run, err, out)
		}
		wrong = s.spoken(strings.ReplaceAll(out, c.site.app.URL, "$APP"))
	}
	if wrong != nil {
		t.Errorf("%q: %v; it said\n%s", s.run, wrong, out)
	}
	if s.ask != "" {
		c.site.expect(t, s.where(), s.ask, s.want)
	}
	if s.file != "" {
		written, err := os.ReadFile(filepath.Join(c.home, s.file))
		if err != nil || !bytes.HasPrefix(written, []byte(s.starts)) {
			t.Errorf("%q wrote %.20q, %v; want a file that starts with %q", s.run, written, err, s.starts)
		}
	}
}

// step is one command and what must come of it. At least one of says, shows, ask,
// file and fails is set.
type step struct {
	name string   // the command, then perhaps a colon and what is special here
	run  []string // the arguments
	page string   // whose witness is asked; appPage

	says    string   // the whole output
	shows   []string // parts of the output, in this order
	hides   []string // what the output must not have
	ask     string   // JavaScript, answered by the page's witness
	want    string   // that answer, as JSON
	file    string   // written into $HOME
	starts  string   // how that file starts
	late    bool     // the output may come to this after a while: the command is repeated
	fails   string   // part of the error that the command ends with
	refused string   // the same, where it cannot be done in an embedded frame
}

func (s step) where() string {
	if s.page != "" {
		return s.page
	}
	return appPage
}

// spoken compares the output of a command, in which $APP is the app's origin.
func (s step) spoken(out string) error {
	if s.says != "" && out != s.says {
		return fmt.Errorf("want the output %q", s.says)
	}
	rest := out
	for _, part := range s.shows {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return fmt.Errorf("want %q in the output, after the parts before it", part)
		}
		rest = after
	}
	for _, part := range s.hides {
		if strings.Contains(out, part) {
			return fmt.Errorf("want no %q in the output", part)
		}
	}
	return nil
}

// TestTable counts the commands, and keeps rows out that prove nothing.
func TestTable(t *testing.T) {
	commands, steps := map[string]bool{}, 0
	for _, section := range sections {
		for _, s := range section.steps {
			command, _, _ := strings.Cut(s.name, ":")
			commands[command] = true
			steps++
			if s.says == "" && s.shows == nil && s.ask == "" && s.file == "" && s.fails == "" {
				t.Errorf("%s, %s: nothing is asserted", section.name, s.name)
			}
			if first, _, _ := strings.Cut(strings.ReplaceAll(s.name, ":", " "), " "); first != s.run[0] {
				t.Errorf("%s, %s: runs %s", section.name, s.name, s.run[0])
			}
			if (s.ask == "") != (s.want == "") {
				t.Errorf("%s, %s: a question and its answer belong together", section.name, s.name)
			}
		}
	}
	t.Logf("%d distinct commands in %d steps", len(commands), steps)
	if len(commands) < 55 {
		t.Errorf("the table holds %d distinct commands, want at least 55", len(commands))
	}
}
