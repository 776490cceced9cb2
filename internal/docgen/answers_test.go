package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnswersNameTheirTests wants each test that answers.txt names to exist, and to contain the methods that it is there for.
func TestAnswersNameTheirTests(t *testing.T) {
	rows, err := parseAnswers()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		var all strings.Builder
		for _, path := range r.Tests {
			text, err := os.ReadFile(filepath.Join("..", "..", path))
			if err != nil {
				t.Error(err)
			}
			all.Write(text)
		}
		for _, m := range r.Methods {
			_, name := splitLevel(m)
			_, verb, _ := strings.Cut(name, ".")
			if r.Why == "" && !strings.Contains(all.String(), name) && !strings.Contains(all.String(), `"`+verb+`"`) {
				t.Errorf("%s is not in %v", m, r.Tests)
			}
		}
	}
}
