package browsers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/scope"
)

// atOnce is how many commands a run of the fuzzer sends to a page.
const atOnce = 40

// FuzzR239Protocol sends commands with odd values, of every method and in every scope, to pages of a
// browser that a victim shares. Whatever it sends, the browser lives, and the victim gets its answers.
func FuzzR239Protocol(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed)
	}
	path, err := browsertest.HeadlessShell()
	if err != nil {
		f.Fatal(err)
	}
	g, c := newGenerator(f), gather(f, path)
	f.Cleanup(func() { c.close(f) })
	var before []command
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not a secret
		s := scope.Scope(1 + seed%4)
		target := c.keeper.page(t)
		d := c.join(t, s)
		d.session = d.attach(t, target)
		known := d.look(t, target)
		var commands []command
		for range atOnce {
			commands = append(commands, g.command(r, known))
		}
		t.Cleanup(func() {
			if t.Failed() { // a browser may end a while after what ends it
				t.Logf("scope %s; the browser: %v\nbefore:\n%s\nat last:\n%s", s, c.reason(), listCommands(before), listCommands(commands))
			}
			before = commands
		})
		d.sendAll(commands)
		err := c.goesOn(t)
		d.Leave()
		if err != nil {
			t.Fatal(err)
		}
		c.tidy(t)
	})
}

// sendAll sends commands to the page and waits for their answers, but not for long: some wait for the page, which
// others have paused.
func (d *driver) sendAll(commands []command) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var waits []func(context.Context) ([]byte, error)
	for _, c := range commands {
		waits = append(waits, d.Send(d.session, c.method, []byte(c.params)))
	}
	for _, wait := range waits {
		_, _ = wait(ctx) // an error is an answer, too
	}
}

// look finds out which ids exist in a page.
func (d *driver) look(t *testing.T, target string) map[string][]string {
	t.Helper()
	var window struct{ WindowID int }
	d.must(t, d.session, "Browser.getWindowForTarget", `{}`, &window)
	quoted := fmt.Sprintf("%q", target)
	small := strings.Fields("1 2 3 4 5 6 7 8 9 10")
	return map[string][]string{
		"windowId": {fmt.Sprint(window.WindowID)}, "targetId": {quoted}, "frameId": {quoted}, "frameIds": {quoted},
		"nodeId": small, "backendNodeId": small, "backendNodeIds": small, "nodeIds": small, "executionContextId": {"1", "2"}, "contextId": {"1", "2"},
		"scriptId": {`"3"`, `"4"`, `"5"`}, "objectId": {`"1.1.1"`, `"1.1.2"`}, "styleSheetId": {`"1"`}, "snapshotId": {`"1"`}, "layerId": {`"1"`},
		"handle": {`"1"`, `"2"`}, "authenticatorId": {`"1"`},
	}
}

// tidy closes all pages but the victim's.
func (c *crowd) tidy(t *testing.T) {
	t.Helper()
	var list struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	c.keeper.must(t, "", "Target.getTargets", `{}`, &list)
	for _, info := range list.TargetInfos {
		if info.Type == "page" {
			c.keeper.Send("", "Target.closeTarget", fmt.Appendf(nil, `{"targetId":%q}`, info.TargetID))
		}
	}
}

// listCommands lists commands, cut to what a person reads.
func listCommands(commands []command) string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "%s %.300s\n", c.method, c.params)
	}
	return b.String()
}
