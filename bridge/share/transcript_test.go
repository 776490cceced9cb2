package share

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wire"
)

// fake is the real session, and the sessions of the Clients. It writes down what it is told.
type fake struct {
	out   strings.Builder
	calls []int64 // without an answer
}

func (f *fake) Send(call int64, sessionID, method string, params []byte) {
	f.calls = append(f.calls, call)
	fmt.Fprintf(&f.out, "\t> %s %s%s\n", method, params, inSession(sessionID))
}

func inSession(id string) string {
	if id == "" {
		return ""
	}
	return " @" + id
}

func (f *fake) Result(call bridge.CallID, sessionID string, result, cdpErr []byte) {
	fmt.Fprintf(&f.out, "\t%s %d = %s%s\n", sessionID, call, result, cdpErr)
}

func (f *fake) SessionEvent(sessionID, method string, params []byte) {
	fmt.Fprintf(&f.out, "\t%s ! %s %s\n", sessionID, method, params)
}

func (f *fake) Opened(n bridge.Nested) bool {
	fmt.Fprintf(&f.out, "\t%s opened in %s on %s %s\n", n.SessionID, n.Parent, n.Type, n.TargetID)
	return true
}

func (f *fake) Closed(id string) { fmt.Fprintf(&f.out, "\t%s closed\n", id) }

// TestR401Transcripts runs the scripts in testdata: the lines without a tab are done, and those with one are what came of
// them. -update writes them anew.
//
//	+A, -A               a Client attaches or detaches
//	A Page.enable {}     a Client sends a command
//	= {}                 the browser answers the oldest command; "= error TEXT" with an error
//	==                   it answers all of them with {}
//	! Page.x {}          it sends an event; "@ID" at the end names a session inside
//	lost, again          the session ends, and there is a new one
func TestR401Transcripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runTranscript(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("%s: got\n%s", file, got)
			}
		})
	}
}

func runTranscript(t *testing.T, text string) string {
	t.Helper()
	f := &fake{}
	tab := New(f, f)
	attached := map[string]bool{}
	number := bridge.CallID(0)
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		f.out.WriteString(line + "\n")
		first, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || first == "#":
		case line[0] == '+':
			tab.Attach(line[1:])
			attached[line[1:]] = true
		case line[0] == '-':
			tab.Detach(line[1:])
			delete(attached, line[1:])
		case first == "=":
			result, cdpErr := []byte(rest), []byte(nil)
			if why, is := strings.CutPrefix(rest, "error "); is {
				result, cdpErr = nil, wire.AppendError(nil, wire.ServerError(why))
			}
			f.answer(t, tab, result, cdpErr)
		case first == "==":
			for len(f.calls) > 0 {
				f.answer(t, tab, wire.Empty, nil)
			}
		case first == "!":
			rest, id, _ := strings.Cut(rest, " @")
			method, params, _ := strings.Cut(rest, " ")
			tab.Event(id, method, []byte(params))
		case line == "lost":
			f.calls = nil
			tab.Lost()
		case line == "again":
			tab.Again()
		default:
			number++
			method, params, _ := strings.Cut(rest, " ")
			c := bridge.Command{Call: number, SessionID: first, Method: method}
			if params != "" {
				c.Params = []byte(params)
			}
			if err := tab.Send(c); err != nil {
				fmt.Fprintf(&f.out, "\t%s %d = refused: %s\n", first, number, err)
			}
		}
	}
	got := f.out.String()
	for id := range attached {
		tab.Detach(id)
	}
	for len(f.calls) > 0 {
		f.answer(t, tab, wire.Empty, nil)
	}
	heldtest.WantsNothing(t, "the tab", tab.Held())
	return got
}

func (f *fake) answer(t *testing.T, tab *Tab, result, cdpErr []byte) {
	t.Helper()
	if len(f.calls) == 0 {
		f.out.WriteString("\t(nothing to answer)\n")
		return
	}
	call := f.calls[0]
	f.calls = f.calls[1:]
	tab.Answer(call, result, cdpErr)
}
