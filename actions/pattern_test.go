package actions

import (
	"context"
	"runtime"
	"strings"
	"testing"
)

// TestR252PatternsAreBounded has patterns that are short and become large, or are long.
func TestR252PatternsAreBounded(t *testing.T) {
	for name, expression := range map[string]string{
		"long":                   strings.Repeat("a", MaxPattern+1),
		"9 MB":                   strings.Repeat("a?", 9<<19),
		"repeated":               strings.Repeat("(a{1000})", 20),
		"nested repetitions":     "((((a{10}){10}){10})b){10}",
		"alternatives, repeated": "(" + strings.Repeat("ab|", 100) + "c){1000}",
		"classes, repeated":      `(?:\pL\pN){1000}` + strings.Repeat(`\pL{500}`, 10),
		"at least":               strings.Repeat("(abc){900,}", 9),
		"no expression":          "(",
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := CompilePattern(expression)
			runtime.ReadMemStats(&after)
			if KindOf(err) != InvalidArgument {
				t.Errorf("%.40q: %v", expression, err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
				t.Errorf("%.40q took %d bytes", expression, grown)
			}
		})
	}
	for name, compile := range map[string]func(string) (*Pattern, error){"text": CompileText, "glob": CompileGlob, "glob of addresses": CompileURLGlob} {
		if _, err := compile(strings.Repeat("*", MaxPattern+1)); KindOf(err) != InvalidArgument {
			t.Errorf("a %s beyond the limit: %v", name, err)
		}
		if _, err := compile(strings.Repeat("*", MaxPattern)); err != nil {
			t.Errorf("a %s at the limit: %v", name, err)
		}
	}
	for _, usual := range []string{"", `\d{1,3}(\.\d{1,3}){3}`, "error|fail(ed|ure)", "(?i)save", `^https://[^/]{1,255}/`, "[a-z]{1000}"} {
		if _, err := CompilePattern(usual); err != nil {
			t.Errorf("%q: %v", usual, err)
		}
	}
}

// leaving is a context that has ended once it was asked so often.
type leaving struct {
	context.Context
	asked, after int
}

func (l *leaving) Err() error {
	if l.asked++; l.asked > l.after {
		return context.Canceled
	}
	return nil
}

// TestR252MatchEndsWithItsCaller counts how much is read for a caller that has left.
func TestR252MatchEndsWithItsCaller(t *testing.T) {
	p, err := CompilePattern("(a|b|ab)*c" + strings.Repeat("(x+x+)+y", 50))
	if err != nil {
		t.Fatal(err)
	}
	ctx := &leaving{Context: t.Context(), after: 3}
	r := &patientReader{ctx: ctx, text: strings.Repeat("ab", 1<<20)}
	p.find.MatchReader(r)
	if read := 2<<20 - len(r.text); read > 5*readsAtOnce || ctx.asked > 5 {
		t.Errorf("%d bytes were read, and the context asked %d times, after the caller left", read, ctx.asked)
	}
	if found, err := p.Match(&leaving{Context: t.Context()}, strings.Repeat("a", 1000)); found || KindOf(err) != Timeout {
		t.Errorf("for a caller that has left: %v, %v", found, err)
	}
	if found, err := p.Match(&leaving{Context: t.Context()}, ""); found || KindOf(err) != Timeout {
		t.Errorf("an empty text, for a caller that has left: %v, %v", found, err)
	}
}

func TestPatternsMatchAsRegexpDoes(t *testing.T) {
	for _, c := range []struct {
		expression, text string
		want             bool
	}{
		{"", "", true},
		{"b$", "ab", true},
		{`\bé`, "caf é", false},
		{"a.c", "aéc", true},
		{"^x", "ax", false},
		{"a.b", "a\xffb", true},
	} {
		p, err := CompilePattern(c.expression)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Match(t.Context(), c.text); got != c.want || err != nil || got != p.find.MatchString(c.text) {
			t.Errorf("%q in %q: %v, %v", c.expression, c.text, got, err)
		}
	}
}
