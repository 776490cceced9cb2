package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFaults holds, for some code, all faults that can be put into it.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ code, faults string }{
		{`release(a)`, `statement left out: `},
		{`n++`, `statement left out: `},
		{`n = m`, `statement left out: `},
		{`defer mu.Unlock()`, `statement left out: `},
		{`h.log.Info(a, b); _ = m; n := m`, ``}, // would change nothing, or not compile
		{`if has(m) { return }`, `condition negated: if !(has(m)) { return } | guard left out: if has(m) {}`},
		{`if m == n { n++; return }`, `guard left out: if m == n {} | return of a guard left out: if m == n { n++;  } | ` +
			`condition negated: if m != n { n++; return } | statement left out: if m == n { ; return }`},
		{`return m < n`, `bound by one: return m <= n`},
		{`return m && n`, `check left out: return m | check left out: return n`},
		{`return 7`, `number by one: return 8`},
		{`return make(list, 7)`, ``},
		{`return true`, `opposite: return false`},
		{`return list{m, n}`, `entry left out: return list{n} | entry left out: return list{m}`},
		{`return list{m}`, `entry left out: return list{}`},
		{`return swap(m, "s", n, o)`, `arguments swapped: return swap(m, "s", o, n)`},
		{`switch n { case m, o: }`, `case left out: switch n {  } | value of a case left out: switch n { case o: } | ` +
			`value of a case left out: switch n { case m: }`},
	} {
		before := "package p\nfunc f() {\n"
		src := []byte(before + c.code + "\n}\n")
		found, err := goFaults("f.go", src)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range found {
			changed, diff := f.put(src)
			code := strings.TrimSuffix(strings.TrimPrefix(string(changed), before), "\n}\n")
			list = append(list, f.Kind+": "+code)
			want := "-" + c.code + "\n"
			if code != "" {
				want += "+" + code + "\n"
			}
			if f.Line != 3 || diff != want {
				t.Errorf("%s: line %d, diff %q", f.Kind, f.Line, diff)
			}
		}
		if got := strings.Join(list, " | "); got != c.faults {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.faults)
		}
	}
}

// TestOutcomes puts faults into a small module whose tests do not notice all.
func TestOutcomes(t *testing.T) {
	const code = `package m

import "os"

func Size(n int) int {
	os.Getpid()
	for n < 0 {
		n++
	}
	return min(n, 7)
}
`
	const tests = `package m

import "testing"

func TestSize(t *testing.T) {
	if Size(-1) != 0 {
		t.Fatal("it is", Size(-1))
	}
}
`
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": code, "m_test.go": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	faults, by, err := packageFaults(t.Context(), dir, ".", "^$")
	if err != nil || !slices.Equal(by, []string{"m"}) {
		t.Fatal(by, err)
	}
	b := &bench{dir: dir, suites: []*suite{{pkg: by[0]}}, least: 3 * time.Second}
	var got []string
	for _, f := range faults {
		r, compiles, err := b.try(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if compiles {
			got = append(got, r.String())
		}
	}
	want := []string{
		"m.go:7  bound by one  noticed by m TestSize",
		"m.go:7  number by one  noticed by m TestSize",
		"m.go:8  statement left out  noticed by m TestSize (too late)",
		"m.go:10  number by one  SURVIVED",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if now, err := os.ReadFile(filepath.Join(dir, "m.go")); err != nil || string(now) != code {
		t.Errorf("a fault was left in the copy: %s %v", now, err)
	}
}
