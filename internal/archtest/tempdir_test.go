package archtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestR352TemporaryFilesAreHeld wants all that the product makes for a while to be made by internal/tempdir, which
// removes it also after the process was killed.
func TestR352TemporaryFilesAreHeld(t *testing.T) {
	makes, seen := regexp.MustCompile(`\bos\.(MkdirTemp|CreateTemp)\b`), 0
	tools := []string{"internal/e2e", "internal/hubtest", "internal/browsertest", "internal/mutate", "actions/actionstest", "web/build", "packaging"}
	for _, f := range goFiles(t) {
		if f.isTest() || slices.ContainsFunc(tools, f.isBelow) {
			continue
		}
		seen++
		for line := range strings.Lines(string(f.source)) {
			if code, _, _ := strings.Cut(line, "//"); makes.MatchString(code) {
				t.Errorf("%s makes %s: use internal/tempdir", f.name, strings.TrimSpace(code))
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d files were read", seen)
	}
}
