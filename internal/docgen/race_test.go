//go:build race

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestR107RaceDetectorWatches wants a race to be found in this very build.
func TestR107RaceDetectorWatches(t *testing.T) {
	if os.Getenv("DOCGEN_RACE") != "" {
		race()
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestR107RaceDetectorWatches$")
	cmd.Env = append(os.Environ(), "DOCGEN_RACE=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "DATA RACE") {
		t.Errorf("a race went unnoticed: %v\n%s", err, out)
	}
}

// race writes to one variable from two goroutines.
func race() {
	n := 0
	done := make(chan struct{})
	go func() {
		n++
		close(done)
	}()
	n++
	<-done
}
