package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// measured is a run in which every figure has that value.
func measured(value float64) string {
	var b strings.Builder
	for _, s := range goals {
		for _, g := range s.goals {
			fmt.Fprintf(&b, "Benchmark%s-2 1 %g %s\n", g.Benchmark, value, g.Unit)
		}
	}
	return b.String()
}

func TestRun(t *testing.T) {
	docs := t.TempDir()
	if err := os.Mkdir(filepath.Join(docs, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run(strings.NewReader(measured(1.75)), docs); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| Round trips, one at a time, 100 B | 1.75 times the splice | at most 1.5 | no | ",
		"| An event to 1 session | 1.75 times the splice | at most 3 | yes |  |",
		"| Speed beside two flooded hubs | 1.75 of the control | at least 0.6 | yes |  |",
	} {
		if !strings.Contains(string(page), line) {
			t.Errorf("the page has no line %q:\n%s", line, page)
		}
	}
	picture, err := os.Open(filepath.Join(docs, "images", "performance.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	bars := 0
	for d := xml.NewDecoder(picture); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	if want := strings.Count(measured(1), "\n") + 1; bars != want { // and the background
		t.Errorf("the picture has %d rectangles, want %d", bars, want)
	}
}

func TestMissing(t *testing.T) {
	err := run(strings.NewReader(strings.Replace(measured(1), "BenchmarkEvents/100-2", "BenchmarkOther-2", 1)), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "no figure for these goals:\nEvents/100 frame/direct") {
		t.Errorf("%v", err)
	}
}
