package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// patience is for what takes a moment, also on a machine that is busy.
const patience = 3 * time.Minute

// options are those of every browser here: tests may run as root or in a
// container, where Chromium has no sandbox. The quick gate (go test -short) starts none.
func options(t testing.TB) Options {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	return Options{NoSandbox: true}
}

// shellOptions are options with Chromium's headless shell, which takes a third of the
// processor time: for pipes, messages and requests, which are the same in both. Where
// there is no shell it is Chromium.
func shellOptions(t testing.TB) Options {
	t.Helper()
	o := options(t)
	o.Path, _ = exec.LookPath("chromium-headless-shell")
	return o
}

// client speaks CDP over a conn, one command at a time.
type client struct {
	t        *testing.T
	conn     conn
	messages chan string
	ended    chan error
	id       int
}

// newClient serves a conn until the end of the test.
func newClient(t *testing.T, c conn) *client {
	t.Helper()
	cl := &client{t: t, conn: c, messages: make(chan string, 100), ended: make(chan error, 1)}
	go func() {
		cl.ended <- c.Serve(receiver{func(m []byte) { cl.messages <- string(m) }, func(c *wire.Cut) { cl.messages <- "CUT " + string(c.Head) }})
	}()
	t.Cleanup(c.Close)
	return cl
}

// call sends a command and returns its result.
func (c *client) call(method, params, session string) json.RawMessage {
	c.t.Helper()
	m := c.answer(method, params, session)
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(m), &answer); err != nil || answer.Result == nil {
		c.t.Fatalf("%s was answered with %.500s, %v", method, m, err)
	}
	return answer.Result
}

// answer sends a command and returns the whole answer.
func (c *client) answer(method, params, session string) string {
	c.t.Helper()
	c.id++
	command := fmt.Sprintf(`{"id":%d,"method":%q,"params":%s`, c.id, method, params)
	if session != "" {
		command += `,"sessionId":` + strconv.Quote(session)
	}
	if err := c.conn.OfferOwn(nil, wire.Frame{Head: []byte(command), Tail: []byte("}")}); err != nil {
		c.t.Fatalf("%s was not taken: %v", method, err)
	}
	timeout := time.After(patience)
	for {
		select {
		case m := <-c.messages:
			if strings.HasPrefix(m, fmt.Sprintf(`{"id":%d,`, c.id)) {
				return m
			}
		case err := <-c.ended:
			c.t.Fatalf("%s: the connection ended: %v", method, err)
		case <-timeout:
			c.t.Fatalf("%s was not answered", method)
		}
	}
}

// product asks for the browser's name and version.
func (c *client) product() string {
	c.t.Helper()
	var version struct{ Product string }
	if err := json.Unmarshal(c.call("Browser.getVersion", "{}", ""), &version); err != nil {
		c.t.Fatal(err)
	}
	return version.Product
}

// page attaches to the first page and returns the session.
func (c *client) page() string {
	c.t.Helper()
	var list struct {
		TargetInfos []struct{ TargetID, Type, URL string }
	}
	var attached struct{ SessionID string }
	if err := json.Unmarshal(c.call("Target.getTargets", "{}", ""), &list); err != nil {
		c.t.Fatal(err)
	}
	for _, target := range list.TargetInfos {
		if target.Type != "page" || target.URL != "about:blank" {
			continue
		}
		params := fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target.TargetID)
		if err := json.Unmarshal(c.call("Target.attachToTarget", params, ""), &attached); err != nil {
			c.t.Fatal(err)
		}
		return attached.SessionID
	}
	c.t.Fatalf("there is no about:blank among %v", list.TargetInfos)
	return ""
}

// evaluate evaluates an expression in a session and returns the whole answer.
func (c *client) evaluate(session, expression string) string {
	c.t.Helper()
	return c.answer("Runtime.evaluate", fmt.Sprintf(`{"expression":%q,"returnByValue":true}`, expression), session)
}

// end waits for the connection to end, and returns why.
func (c *client) end() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(patience):
		c.t.Fatal("the connection did not end")
		return nil
	}
}

// processesOf lists what lives and has a text in its arguments, or is of a
// group; 0 is no group.
func processesOf(t *testing.T, text string, group int) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(all) == 0 {
		t.Fatalf("these tests want /proc: %v", err)
	}
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		stat, _ := os.ReadFile(filepath.Join(dir, "stat")) // pid (name) state ppid pgrp …
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 3 || len(args) == 0 {
			continue // it has gone, and is only yet to be waited for
		}
		if bytes.Contains(args, []byte(text)) || group != 0 && fields[2] == strconv.Itoa(group) {
			found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	return found
}

// nothingLeft wants a browser's processes and its folder to have gone, soon.
func nothingLeft(t *testing.T, dir string, group int) {
	t.Helper()
	begun := time.Now()
	noProcessLeft(t, dir, group)
	for end := begun.Add(patience); ; time.Sleep(10 * time.Millisecond) {
		_, err := os.Stat(dir)
		if os.IsNotExist(err) {
			t.Logf("nothing was left after %v", time.Since(begun).Round(time.Millisecond))
			return
		}
		if time.Now().After(end) {
			t.Fatalf("of the folder: %v", err)
		}
	}
}

// noProcessLeft wants processes to have gone, soon: to be killed takes a
// moment.
func noProcessLeft(t *testing.T, text string, group int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		found := processesOf(t, text, group)
		if len(found) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %q", found)
		}
	}
}
