package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// neverOne are counts in texts that are not 1, by what is around them, and why.
var neverOne = map[string]string{
	", at most %d": "it exceeds a limit", "a resource at most": "it exceeds a limit", "at most ${": "it exceeds a limit",
	"%d hubs have": "a limit", "there are %d routes": "a limit", "of %d nodes": "a tree that is cut", "%d × %d pixels": "a size", "%d steps, all": "a constant",
	"%d sockets named": "more than one", "${more.length + 1} elements": "more than one", "${found.length} elements": "more than one",
	"length === 1 ?": "it is asked", "all === 1 ?": "it is asked", "all > 1 ?": "it is asked",
}

// TestR353CountsHaveASingular wants texts with a count to be right for 1: Go asks english.Plural, TypeScript looks whether it
// is 1. What stands behind "at most" and the like is a constant.
func TestR353CountsHaveASingular(t *testing.T) {
	const bound = `(?:at most|more than|longer than|at least|up to|1 to|its first) `
	goCount := regexp.MustCompile(`(` + bound + `)?%(?:\[\d\])?d ([a-z]+s)\b`)
	tsCount := regexp.MustCompile(`(` + bound + `)?\$\{[^}]*\b(?:length|count|size|n|all|some|paired|clients|total|left|bytes|most)\b[^}]*\} ([a-z]+s)\b`)
	verbs := []string{"is", "has", "was"} // of an ordinal, or of the number itself
	used := map[string]bool{}
	check := func(name, source string, counts *regexp.Regexp) {
		for line := range strings.Lines(source) {
			for _, m := range counts.FindAllStringSubmatch(line, -1) {
				known := m[1] != "" || slices.Contains(verbs, m[2])
				for around := range neverOne {
					if strings.Contains(line, around) {
						known, used[around] = true, true
					}
				}
				if !known {
					t.Errorf("%s: use english.Plural, or look whether it is 1: %s", name, strings.TrimSpace(line))
				}
			}
		}
	}
	tools := strings.Fields("internal/e2e internal/hubtest internal/browsertest internal/mutate internal/bench internal/chaos internal/docgen internal/docstest " +
		"internal/limittest actions/actionstest actions/conformance web/build web/test packaging internal/wiretest internal/methods")
	for _, f := range goFiles(t) {
		if !f.isTest() && !slices.ContainsFunc(tools, f.isBelow) {
			check(f.name, string(f.source), goCount)
		}
	}
	err := filepath.WalkDir("../../web/src", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(path, ".test.") {
			return err
		}
		source, err := os.ReadFile(path)
		check(path, string(source), tsCount)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for around := range neverOne {
		if !used[around] {
			t.Errorf("no count is around %q: take it out of the table", around)
		}
	}
}
