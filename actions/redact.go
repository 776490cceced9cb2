package actions

import (
	"net/url"
	"slices"
	"strings"
)

// Redacted stands for what is not told. It has one length, whatever it stands
// for.
const Redacted = "[REDACTED]"

var secretHeaders = []string{
	"authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token", "x-csrf-token", "proxy-authorization",
}

// RedactHeaders hides the values of headers that give access. The names stay.
func RedactHeaders(headers map[string]string) map[string]string {
	out := make(map[string]string, len(headers))
	for name, value := range headers {
		if slices.Contains(secretHeaders, strings.ToLower(name)) {
			value = Redacted
		}
		out[name] = value
	}
	return out
}

var secretParams = []string{"token", "access_token", "key", "code"}

// RedactURL takes the user and the values of query parameters that give access
// out of a URL for events and logs.
func RedactURL(raw string) string {
	if !strings.ContainsAny(raw, "@?") {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		head, _, _ := strings.Cut(raw, "?")
		return head
	}
	u.User = nil
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		name, _, has := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); has && err == nil && slices.Contains(secretParams, strings.ToLower(plain)) {
			pairs[i] = name + "=" + Redacted
		}
	}
	u.RawQuery = strings.Join(pairs, "&")
	return u.String()
}
