// Package waittest tells tests which functions of this module wait at this moment, so that a
// test that interrupts a function can check that it does.
package waittest

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

// frame is a function of this module in a stack trace: its package, and its name.
var frame = regexp.MustCompile(`(?m)^github\.com/cdphub/cdphub/(?:[\w/]*/)?(\w+)\.([^\n]*)\([^()]*\)$`)

// Waiting are the functions that are on the stack of a goroutine, as "live.Viewer.take". A
// function literal counts as the function around it. The test must run in a bubble of
// testing/synctest: all its goroutines wait then.
func Waiting() map[string]bool {
	synctest.Wait()
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	found := make(map[string]bool)
	for _, match := range frame.FindAllStringSubmatch(string(text), -1) {
		name, _, _ := strings.Cut(match[2], ".func")
		found[match[1]+"."+strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(name)] = true
	}
	return found
}

// Wants fails a test that is about to interrupt a function which does not wait.
func Wants(t testing.TB, function string) {
	t.Helper()
	if !Waiting()[function] {
		t.Fatalf("%s does not wait, and cannot be interrupted", function)
	}
}
