package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplayKeepsTheRecording names files that would be written over.
func TestReplayKeepsTheRecording(t *testing.T) {
	const text = "the recording"
	file := filepath.Join(t.TempDir(), "r.ndjson.zst")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, args := range map[string][]string{
		"--har " + file + " is the recording itself":       {"--har", file},
		"--playwright and --chrome-recorder name the same": {"--playwright", file + ".out", "--chrome-recorder", file + ".out"},
	} {
		err := run(t.Context(), append([]string{"replay", file}, args...), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", args, err, says)
		}
	}
	if left, err := os.ReadFile(file); err != nil || string(left) != text {
		t.Errorf("the recording is now %q, %v", left, err)
	}
}
