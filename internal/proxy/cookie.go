package proxy

import (
	"net/http"
	"strings"
)

// rewriteCookies lets the cookies of an upstream be stored for the proxy's
// origin, which has another name and is plain HTTP: Domain goes where it
// covers the upstream, Secure goes, and with it what is void without it
// (SameSite=None and Partitioned, RFC 6265bis section 5.7). A name that begins
// with __Secure- or __Host- is void without Secure and keeps it: browsers take
// 127.0.0.1 for secure.
func rewriteCookies(h http.Header, upstream string, j *jars) {
	cookies := h["Set-Cookie"]
	for i, cookie := range cookies {
		cookies[i] = rewriteCookie(cookie, upstream, j)
	}
}

func rewriteCookie(cookie, upstream string, j *jars) string {
	parts := strings.Split(cookie, ";")
	name := strings.ToLower(strings.TrimSpace(parts[0]))
	prefixed := strings.HasPrefix(name, "__secure-") || strings.HasPrefix(name, "__host-")
	kept := parts[:1]
	given := ""
	for _, part := range parts[1:] {
		attr, value, _ := strings.Cut(part, "=")
		value = strings.ToLower(strings.TrimSpace(value))
		switch strings.ToLower(strings.TrimSpace(attr)) {
		case "domain":
			if value = strings.TrimPrefix(value, "."); domainCovers(value, upstream) {
				given = value
				continue
			}
		case "secure", "partitioned":
			if !prefixed {
				continue
			}
		case "samesite":
			if value == "none" && !prefixed {
				continue
			}
		}
		kept = append(kept, part)
	}
	if name, value, named := strings.Cut(parts[0], "="); j != nil && named {
		kept[0] = strings.TrimRight(name, " \t") + j.mark(cookieHost(upstream), given) + "=" + value
	}
	return strings.Join(kept, ";")
}

// domainCovers reports whether a cookie's domain holds a host, which is without a
// port. It covers the host itself and all names below it (RFC 6265, section 5.1.3).
func domainCovers(domain, host string) bool {
	host = strings.ToLower(host)
	return domain == "" || domain == host || strings.HasSuffix(host, "."+domain)
}
