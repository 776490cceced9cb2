package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/plain"
)

// stepWithin is how long one command of agent-browser may take.
const stepWithin = 30 * time.Second

// step is one command of agent-browser and a text that it must print. {NAME} in a
// command stands for the ref that the last snapshot gave to the element of that name.
type step struct {
	say     string
	command []string
	want    string
}

// driveSteps is what `demo --drive` does.
var driveSteps = []step{
	{"list the pages: each app in its iframe is one", strings.Fields("tab list"), "Sign up"},
	{"go to the sign-up form", []string{"tab", "{tab:Sign up}"}, ""},
	{"look at it", strings.Fields("snapshot -i"), `textbox "Full name"`},
	{"fill in the name", []string{"fill", "{Full name}", "Ada Lovelace"}, ""},
	{"submit too early", []string{"click", "{Create account}"}, ""},
	{"read what it says", []string{"get", "text", "#problem"}, "Email:"},
	{"fill in the email", []string{"fill", "{Email}", "ada@example.org"}, ""},
	{"fill in the password", []string{"fill", "{Password}", "correct horse"}, ""},
	{"choose a plan", []string{"select", "#plan", "team"}, ""},
	{"accept the terms", []string{"check", "{I accept the terms}"}, ""},
	{"submit", []string{"click", "{Create account}"}, ""},
	{"read the result", []string{"get", "text", "#result"}, "Welcome, Ada Lovelace! Your team account is ready; we write to ada@example.org."},
	{"go to the todo app", []string{"tab", "{tab:Todo}"}, ""},
	{"look at it", strings.Fields("snapshot -i"), `textbox "New task"`},
	{"write a task", []string{"fill", "{New task}", "Drive an iframe"}, ""},
	{"press Enter", strings.Fields("press Enter"), ""},
	{"show what is active", []string{"find", "role", "button", "click", "--name", "Active"}, ""},
	{"the address has changed", strings.Fields("get url"), "?view=active"},
	{"read the list", strings.Fields("get text ul"), "Drive an iframe"},
	{"go back in its history", strings.Fields("back"), ""},
	{"the address is the old one", []string{"eval", "location.search"}, `""`},
	{"go to the orders", []string{"tab", "{tab:Orders}"}, ""},
	{"look at them", strings.Fields("snapshot -i"), `button "Open order 200"`},
	{"open one far below the fold", []string{"click", "{Open order 200}"}, ""},
	{"look at the dialog", strings.Fields("snapshot -i"), `button "Ship"`},
	{"ship it", []string{"click", "{Ship}"}, ""},
	{"read the result", []string{"get", "text", "[role=status]"}, "Order 200 is on its way"},
}

// driveDemo carries out driveSteps through the hub at a local port and prints
// what happens.
func driveDemo(ctx context.Context, program, port string, out *plain.Writer) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("agent-browser is needed to drive the demo: install it (npm install -g agent-browser), or name it with --agent-browser: %w", err)
	}
	d := driver{program: program, port: port, session: "cdphub-demo-" + strconv.Itoa(os.Getpid())}
	defer d.close()
	for i, s := range driveSteps {
		command, printed, err := d.do(ctx, s)
		fmt.Fprintf(out, "%2d. %s\n    $ agent-browser --cdp %s %s\n%s", i+1, s.say, port, strings.Join(quoteWords(command), " "), indentOutput(printed))
		if err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, s.say, err)
		}
	}
	fmt.Fprintf(out, "\n%d steps, all as expected.\n", len(driveSteps))
	return nil
}

// driver runs agent-browser commands in one session of its own.
type driver struct {
	program, port, session string
	snapshot, tabs         string // as last printed
}

// do carries out one step.
func (d *driver) do(ctx context.Context, s step) (command []string, printed string, err error) {
	for _, word := range s.command {
		if word, err = d.resolve(word); err != nil {
			return s.command, "", err
		}
		command = append(command, word)
	}
	printed, err = d.run(ctx, command)
	switch command[0] + " " + command[len(command)-1] {
	case "snapshot -i":
		d.snapshot = printed
	case "tab list":
		d.tabs = printed
	}
	if err == nil && !strings.Contains(printed, s.want) {
		err = fmt.Errorf("it should have printed %q", s.want)
	}
	return command, printed, err
}

// run runs agent-browser once.
func (d *driver) run(ctx context.Context, command []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.program, append([]string{"--session", d.session, "--cdp", d.port}, command...)...) //nolint:gosec // the user's own
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	cmd.WaitDelay = time.Second // its daemon keeps the pipe open
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return ansi.ReplaceAllString(both.String(), ""), err
}

func (d *driver) close() {
	d.run(context.Background(), []string{"close"}) //nolint:errcheck // nothing is left to tell
}

var (
	ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")
	ref  = regexp.MustCompile(`\bref=(e[0-9]+)`)
	tab  = regexp.MustCompile(`\[(t?[0-9]+)\]`)
)

// resolve replaces {NAME} by the ref of that element in the last snapshot, and
// {tab:TITLE} by the number of that tab in the last list.
func (d *driver) resolve(word string) (string, error) {
	name, is := strings.CutPrefix(word, "{")
	if !is {
		return word, nil
	}
	name = strings.TrimSuffix(name, "}")
	text, pattern, prefix := d.snapshot, ref, "@"
	want := strconv.Quote(name)
	if title, is := strings.CutPrefix(name, "tab:"); is {
		text, pattern, prefix, want = d.tabs, tab, "", title
	}
	for line := range strings.Lines(text) {
		if m := pattern.FindStringSubmatch(line); m != nil && strings.Contains(line, want) {
			return prefix + m[1], nil
		}
	}
	return "", fmt.Errorf("%q is not to be seen", name)
}

// quoteWords quotes the words of a command that a shell would split.
func quoteWords(command []string) []string {
	out := make([]string, len(command))
	for i, w := range command {
		if out[i] = w; strings.ContainsAny(w, " []#*?") {
			out[i] = "'" + w + "'"
		}
	}
	return out
}

// indentOutput shows output below its command, at most 12 lines of it.
func indentOutput(s string) string {
	const most = 12
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if lines[0] == "" {
		return ""
	}
	if n := len(lines); n > most {
		lines = append(lines[:most:most], fmt.Sprintf("… %d more lines", n-most))
	}
	return "      " + strings.Join(lines, "\n      ") + "\n"
}
