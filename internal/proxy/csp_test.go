package proxy

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oneSite are the moves of a request to an app without other sites.
var oneSite = moves{{origin{"http", "127.0.0.1:9224"}, origin{"https", "app.example"}}}

func TestRelaxCSP(t *testing.T) {
	for _, tt := range []struct{ in, want, nonce string }{
		{"default-src 'self'", "default-src 'self'; script-src 'self' 'unsafe-eval'; connect-src 'self'; img-src 'self' data: blob:", ""},
		{"default-src 'none'", "default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src 'self'; img-src data: blob:", ""},
		{"script-src 'NONE'; connect-src 'none'", "script-src 'self' 'unsafe-eval'; connect-src 'self'", ""},
		{"script-src https://cdn.example", "script-src https://cdn.example 'self' 'unsafe-eval'", ""},
		{"object-src 'none'; base-uri 'self'", "object-src 'none'; base-uri 'self'", ""},
		{"frame-ancestors 'none'", "", ""},
		{"Sandbox allow-scripts; trusted-types foo; require-trusted-types-for 'script'; upgrade-insecure-requests; font-src a", "font-src a", ""},
		{"script-src 'nonce-aB+/9==' 'strict-dynamic'", "script-src 'nonce-aB+/9==' 'strict-dynamic' 'self' 'unsafe-eval'", "aB+/9=="},
		{"script-src 'nonce-a'; script-src 'nonce-b'", "script-src 'nonce-a' 'self' 'unsafe-eval'", "a"},
		{"script-src 'sha256-abc='", "script-src 'sha256-abc=' 'self' 'unsafe-eval'", ""},
		{"script-src-elem https://cdn.example; script-src 'self'", "script-src-elem https://cdn.example 'self'; script-src 'self' 'unsafe-eval'", ""},
		{"script-src-elem 'nonce-e'; script-src 'nonce-s'", "script-src-elem 'nonce-e' 'self'; script-src 'nonce-s' 'self' 'unsafe-eval'", "e"},
		{"default-src 'nonce-d'", "default-src 'nonce-d'; script-src 'nonce-d' 'self' 'unsafe-eval'; connect-src 'nonce-d' 'self'; img-src 'nonce-d' data: blob:", "d"},
		{"script-src 'nonce-\"><b>'", "script-src 'nonce-\"><b>' 'self' 'unsafe-eval'", ""},
		{"script-src 'self', script-src 'none'", "script-src 'self' 'unsafe-eval', script-src 'self' 'unsafe-eval'", ""},
		{
			"script-src 'nonce-a' 'strict-dynamic', script-src 'nonce-b' 'strict-dynamic'",
			"script-src 'nonce-a' 'strict-dynamic' 'self' 'unsafe-eval', script-src 'nonce-b' 'strict-dynamic' 'self' 'unsafe-eval' 'nonce-a'", "a",
		},
		{ // nonces by case, all else without
			"script-src 'nonce-a' 'strict-dynamic', script-src 'nonce-A' 'STRICT-dynamic' 'SELF' 'unsafe-EVAL'",
			"script-src 'nonce-a' 'strict-dynamic' 'self' 'unsafe-eval', script-src 'nonce-A' 'STRICT-dynamic' 'SELF' 'unsafe-EVAL' 'nonce-a'", "a",
		},
		{
			"style-src https://app.example/css; connect-src wss://APP.example",
			"style-src https://app.example/css 'self'; connect-src wss://APP.example 'self'", "",
		},
		{"report-uri https://app.example/csp", "report-uri https://app.example/csp", ""},
		{" ;; , ;", "", ""},
	} {
		h := http.Header{cspHeaders[0]: {tt.in}, cspHeaders[1]: {tt.in}}
		if nonce := rewriteCSP(h, false, oneSite); nonce != tt.nonce {
			t.Errorf("%s: nonce %q, want %q", tt.in, nonce, tt.nonce)
		}
		for _, name := range cspHeaders {
			if got := h.Get(name); got != tt.want {
				t.Errorf("%s: %s\n got %s\nwant %s", name, tt.in, got, tt.want)
			}
		}
	}
}

// With 'strict-dynamic' and hashes alone, only a nonce of our own lets the
// agent run without taking the app's own scripts their trust.
func TestRelaxCSPStrictDynamicWithoutNonce(t *testing.T) {
	h := http.Header{cspHeaders[0]: {"default-src 'strict-dynamic' 'sha256-abc='"}}
	nonce := rewriteCSP(h, false, nil)
	if len(nonce) < 20 {
		t.Fatalf("nonce %q", nonce)
	}
	want := "script-src 'strict-dynamic' 'sha256-abc=' 'self' 'unsafe-eval' 'nonce-" + nonce + "'"
	if got := h.Get(cspHeaders[0]); !strings.Contains(got, want) {
		t.Errorf("got %s, want in it %s", got, want)
	}
}

func TestKeepCSP(t *testing.T) {
	h := http.Header{cspHeaders[0]: {"script-src 'nonce-a'; frame-ancestors 'none'; sandbox", "frame-ancestors 'self'"}}
	if nonce := rewriteCSP(h, true, nil); nonce != "a" {
		t.Errorf("nonce %q", nonce)
	}
	if got, want := h.Values(cspHeaders[0]), []string{"script-src 'nonce-a'; sandbox"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	h = http.Header{cspHeaders[0]: {"script-src 'strict-dynamic'"}}
	if nonce := rewriteCSP(h, true, nil); nonce != "" {
		t.Errorf("a nonce %q that no policy has", nonce)
	}
}

func TestNeedsIntegrity(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        bool
	}{
		{"Integrity-Policy", "blocked-destinations=(script)", true},
		{"Integrity-Policy", "blocked-destinations=(style)", false},
		{"Content-Security-Policy", "default-src 'self'; require-sri-for style script", true},
		{"Content-Security-Policy", "require-sri-for style", false},
	} {
		if got := needsIntegrity(http.Header{tt.name: {tt.value}}); got != tt.want {
			t.Errorf("%s: %s: got %t", tt.name, tt.value, got)
		}
	}
}

// FuzzCSP: a relaxed policy lets the agent load and evaluate, takes no source
// away but 'none', and relaxing it again changes nothing.
func FuzzCSP(f *testing.F) {
	for _, s := range []string{
		"default-src 'self'", "script-src 'none', default-src 'nonce-a' 'strict-dynamic'", "sandbox;;script-src-elem a", "'", ";,", "Default-Src",
		"script-src 'strict-dynamic' 'sha256-x'", "default-src app.example https://app.example/a", "frame-ancestors *", "script-src 'none' 'none'",
	} {
		f.Add(s)
	}
	plain := regexp.MustCompile(`^[\t\n\f\r -~]*$`)
	f.Fuzz(func(t *testing.T, in string) {
		if !plain.MatchString(in) {
			return // net/http lets no such header through
		}
		h := http.Header{cspHeaders[0]: {in}}
		nonce := rewriteCSP(h, false, oneSite)
		out := strings.Join(h.Values(cspHeaders[0]), ", ")
		for _, p := range parsePolicies(out) {
			for _, name := range scriptDirectives {
				d := p.find(name)
				if d == nil {
					continue
				}
				if d.has("'strict-dynamic'") && !d.has("'nonce-"+nonce+"'") || !d.has("'strict-dynamic'") && !d.has("'self'") {
					t.Fatalf("%q became %q, where the agent cannot load with nonce %q", in, out, nonce)
				}
				break
			}
			if d := p.find("script-src"); d != nil && !d.has("'unsafe-eval'") || d == nil && p.find("default-src") != nil {
				t.Fatalf("%q became %q, which allows no evaluation", in, out)
			}
			for _, name := range dropped {
				if p.find(name) != nil {
					t.Fatalf("%q became %q, which still has %s", in, out, name)
				}
			}
		}
		kept(t, in, out)
		again := http.Header{cspHeaders[0]: {out}}
		second := rewriteCSP(again, false, oneSite)
		if twice := strings.Join(again.Values(cspHeaders[0]), ", "); second == nonce && twice != out {
			t.Fatalf("%q became %q, then %q", in, out, twice)
		}
	})
}

// kept checks that every source of in is still in out.
func kept(t *testing.T, in, out string) {
	t.Helper()
	after := slices.DeleteFunc(parsePolicies(in), func(p policy) bool { return len(p.without(dropped...)) == 0 })
	relaxed := parsePolicies(out)
	if len(after) != len(relaxed) {
		t.Fatalf("%q became %q: another number of policies", in, out)
	}
	for i, p := range after {
		for _, d := range p.without(dropped...) {
			now := relaxed[i].find(d.name)
			if now == nil {
				t.Fatalf("%q became %q, without %s", in, out, d.name)
			}
			for _, s := range d.sources {
				if !strings.EqualFold(s, "'none'") && !slices.Contains(now.sources, s) {
					t.Fatalf("%q became %q, where %s has lost %s", in, out, d.name, s)
				}
			}
		}
	}
}
