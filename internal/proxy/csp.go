package proxy

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// policy is one Content Security Policy (W3C CSP Level 3) split into its directives.
// A header may list several policies, and a response must satisfy each.
type policy []directive

type directive struct {
	name    string // in lower case
	sources []string
}

// cspHeaders are the headers that carry policies.
var cspHeaders = []string{"Content-Security-Policy", "Content-Security-Policy-Report-Only"}

// dropped are the directives that would keep the app out of a frame, the agent
// out of the app, or the app's files from coming over plain HTTP.
var dropped = []string{
	"frame-ancestors", "sandbox", "trusted-types", "require-trusted-types-for", "require-sri-for",
	"upgrade-insecure-requests", "block-all-mixed-content",
}

// scriptDirectives govern script elements, the most specific first.
var scriptDirectives = []string{"script-src-elem", "script-src", "default-src"}

// rewriteCSP rewrites the policies of a response and returns the nonce that
// the agent's script element must carry, or "".
//
// Kept, they lose frame-ancestors only. Relaxed, they allow the agent's
// script, its evaluation and its requests; see policy.relax.
func rewriteCSP(h http.Header, keep bool, sites moves) (nonce string) {
	var enforced []policy
	for _, value := range h.Values(cspHeaders[0]) {
		enforced = append(enforced, parsePolicies(value)...)
	}
	nonce, strict := scriptNonce(enforced)
	if nonce == "" && strict && !keep {
		nonce = rand.Text()
	}
	for _, name := range cspHeaders {
		var values []string
		for _, value := range h.Values(name) {
			var list []string
			for _, p := range parsePolicies(value) {
				if keep {
					p = p.without("frame-ancestors")
				} else {
					p = p.relax(nonce, sites)
				}
				if len(p) > 0 {
					list = append(list, p.String())
				}
			}
			if len(list) > 0 {
				values = append(values, strings.Join(list, ", "))
			}
		}
		if h.Del(name); len(values) > 0 {
			h[name] = values
		}
	}
	return nonce
}

// parsePolicies splits at commas first: a header with several policies, or several
// headers, are the same (CSP, "parse a serialized CSP list").
func parsePolicies(header string) []policy {
	var list []policy
	for serialized := range strings.SplitSeq(header, ",") {
		var p policy
		for text := range strings.SplitSeq(serialized, ";") {
			words := strings.Fields(text)
			if len(words) == 0 {
				continue
			}
			name := strings.ToLower(words[0])
			// CSP, "parse a serialized CSP": of directives with the same name the
			// first counts.
			if p.find(name) == nil {
				p = append(p, directive{name, words[1:]})
			}
		}
		if len(p) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// String is the policy as a header has it.
func (p policy) String() string {
	texts := make([]string, len(p))
	for i, d := range p {
		texts[i] = strings.Join(append([]string{d.name}, d.sources...), " ")
	}
	return strings.Join(texts, "; ")
}

func (p policy) find(name string) *directive {
	for i := range p {
		if p[i].name == name {
			return &p[i]
		}
	}
	return nil
}

func (p policy) without(names ...string) policy {
	return slices.DeleteFunc(slices.Clone(p), func(d directive) bool { return slices.Contains(names, d.name) })
}

// relax returns the policy with room for the agent: its script ('self', and
// the nonce where 'strict-dynamic' voids 'self'), its evaluation
// ('unsafe-eval'), its requests to the hub ('self') and the pictures it draws
// for screenshots (data: and blob:). What names the upstream now also means
// the app's new origin, and the same for the other sites.
func (p policy) relax(nonce string, sites moves) policy {
	p = p.without(dropped...)
	for i := range p {
		listsSources := strings.Contains(p[i].name, "-src") || p[i].name == "form-action" || p[i].name == "base-uri"
		for n, site := range sites {
			if !listsSources || !slices.ContainsFunc(p[i].sources, func(s string) bool { return namesOrigin(s, site.upstream) }) {
				continue
			}
			if n == 0 {
				p[i] = p[i].allow("'self'")
			} else {
				p[i] = p[i].allow(site.own.String())
			}
		}
	}
	p = p.derive("script-src", "'self'", "'unsafe-eval'")
	p = p.derive("connect-src", "'self'")
	p = p.derive("img-src", "data:", "blob:")
	if d := p.find("script-src-elem"); d != nil {
		*d = d.allow("'self'")
	}
	if nonce == "" {
		return p
	}
	for _, name := range scriptDirectives[:2] {
		if d := p.find(name); d != nil && d.has("'strict-dynamic'") && !d.has("'nonce-"+nonce+"'") {
			*d = d.allow("'nonce-" + nonce + "'")
		}
	}
	return p
}

// derive allows sources in a directive. A directive that is missing falls back to
// default-src, so it is made from a copy of that. Without default-src, everything is
// allowed already.
func (p policy) derive(name string, sources ...string) policy {
	if p.find(name) == nil {
		fallback := p.find("default-src")
		if fallback == nil {
			return p
		}
		p = append(p, directive{name, slices.Clone(fallback.sources)})
	}
	d := p.find(name)
	*d = d.allow(sources...)
	return p
}

// allow returns the directive with sources added. 'none' goes, since beside
// others it is void.
func (d directive) allow(sources ...string) directive {
	d.sources = slices.DeleteFunc(slices.Clone(d.sources), func(s string) bool { return strings.EqualFold(s, "'none'") })
	for _, s := range sources {
		if !d.has(s) {
			d.sources = append(d.sources, s)
		}
	}
	return d
}

func (d directive) has(source string) bool {
	return slices.ContainsFunc(d.sources, func(s string) bool {
		if strings.HasPrefix(source, "'nonce-") {
			return s == source // a nonce's value is case-sensitive
		}
		return strings.EqualFold(s, source)
	})
}

var nonceSource = regexp.MustCompile(`^'(?i:nonce)-([A-Za-z0-9+/_-]+={0,2})'$`)

// scriptNonce returns the first nonce that lets scripts run, and whether a policy has
// 'strict-dynamic'. With that keyword, only a nonce or a hash lets a script element
// run: 'self' and hosts are ignored.
func scriptNonce(policies []policy) (nonce string, strict bool) {
	for _, p := range policies {
		for _, name := range scriptDirectives {
			d := p.find(name)
			if d == nil {
				continue
			}
			strict = strict || d.has("'strict-dynamic'")
			for _, s := range d.sources {
				if m := nonceSource.FindStringSubmatch(s); m != nil && nonce == "" {
					nonce = m[1]
				}
			}
			break // it overrides the others for script elements
		}
	}
	return nonce, strict
}

// namesOrigin reports whether a source expression names an origin, such as
// "https://app.example", "app.example:8443/path", "*.example" or "https:".
func namesOrigin(source string, o origin) bool {
	if _, rest, is := strings.Cut(source, "://"); is {
		source = rest
	} else if scheme, is := strings.CutSuffix(source, ":"); is {
		return strings.EqualFold(scheme, o.scheme)
	}
	source, _, _ = strings.Cut(source, "/")
	source = strings.ToLower(source)
	if domain, wild := strings.CutPrefix(source, "*."); wild {
		return strings.HasSuffix(o.host, "."+domain)
	}
	return originOf(&url.URL{Scheme: o.scheme, Host: source}).same(o)
}

// needsIntegrity reports whether a response demands that every script element
// carries the hash of its file (Integrity-Policy; require-sri-for of old).
func needsIntegrity(h http.Header) bool {
	for _, value := range h.Values(cspHeaders[0]) {
		for _, p := range parsePolicies(value) {
			if d := p.find("require-sri-for"); d != nil && d.has("script") {
				return true
			}
		}
	}
	return strings.Contains(strings.Join(h.Values("Integrity-Policy"), ","), "script")
}
