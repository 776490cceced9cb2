package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPagesAreFresh compares all files with the committed ones.
func TestPagesAreFresh(t *testing.T) {
	for _, p := range pages {
		want, err := p.render()
		if err != nil {
			t.Errorf("%s: %v", p.file, err)
			continue
		}
		got, err := os.ReadFile(filepath.Join("..", "..", p.file))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./internal/docgen (%v)", p.file, err)
		}
	}
}
