package proxy

import (
	"net/http"
	"strings"
)

// Cookies know hosts, not ports, and at the proxy all sites are one host. So the names
// of cookies of a site whose own host is not that of the first site end with the mark
// "~HOST", which requests take off again. A site gets its own cookies only: the app's
// log-in is nothing for an identity provider. Sites that have one host share their
// cookies, as without the proxy.

// jars knows the hosts of the sites.
type jars struct {
	first string // whose cookies keep their names
	hosts []string
}

func newJars(p *handler, first origin) *jars {
	j := &jars{first: cookieHost(first.host), hosts: []string{cookieHost(p.upstream.host)}}
	for _, site := range p.Also {
		j.hosts = append(j.hosts, cookieHost(originOf(site.Upstream).host))
	}
	return j
}

// cookieHost is the host of cookies: without a port, and one for the names of this machine.
func cookieHost(host string) string {
	name, _ := splitHost(host)
	if name == "127.0.0.1" || name == "::1" {
		return "localhost"
	}
	return strings.ToLower(name)
}

// mark is the end of the name of a cookie that a host has set, for a domain unless that is "".
func (j *jars) mark(host, domain string) string {
	if domain != "" && domainCovers(domain, host) {
		for _, other := range j.hosts {
			if other != host && domainCovers(domain, other) {
				return "~." + domain
			}
		}
	}
	if host == j.first {
		return ""
	}
	return "~" + host
}

// keep leaves the cookies of a host in a request, by the names that the host knows.
func (j *jars) keep(h http.Header, host string) {
	var kept []string
	for _, line := range h.Values("Cookie") {
		for pair := range strings.SplitSeq(line, ";") {
			if pair = j.unmark(strings.TrimSpace(pair), host); pair != "" {
				kept = append(kept, pair)
			}
		}
	}
	if h.Del("Cookie"); len(kept) > 0 {
		h.Set("Cookie", strings.Join(kept, "; "))
	}
}

// unmark is a cookie as a host knows it; "" if it is not of that host.
func (j *jars) unmark(pair, host string) string {
	name, value, has := strings.Cut(pair, "=")
	if !has {
		name, value = "", pair
	}
	i := strings.LastIndexByte(name, '~')
	switch {
	case i < 0 || !j.marks(name[i+1:]):
		if host != j.first {
			return ""
		}
		return pair
	case strings.HasPrefix(name[i+1:], ".") && domainCovers(name[i+2:], host), name[i+1:] == host:
		return name[:i] + "=" + value
	}
	return ""
}

// marks reports whether a text is that of a mark. An app may have a ~ in its names.
func (j *jars) marks(text string) bool {
	for _, host := range j.hosts {
		if text == host || strings.HasPrefix(text, ".") && domainCovers(text[1:], host) {
			return true
		}
	}
	return false
}
