package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPagesAreFresh compares all pages with the committed ones.
func TestPagesAreFresh(t *testing.T) {
	for _, p := range pages {
		want, err := p.render()
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", p.name+".md"))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s.md is stale: run go generate ./internal/docgen (%v)", p.name, err)
		}
	}
}
