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

// longestURL is how much of a URL is told, in bytes: pages make data URLs of many
// megabytes.
const longestURL = 8 << 10

// RedactURL takes the user and the values of parameters that give access, in
// the query and in the fragment, out of a URL for events and logs.
func RedactURL(raw string) string {
	raw = cut(raw, longestURL)
	if !strings.ContainsAny(raw, "@?#") {
		return raw
	}
	raw, fragment, anchored := strings.Cut(raw, "#")
	if anchored {
		fragment = "#" + redactPairs(fragment)
	}
	u, err := url.Parse(raw)
	if err != nil { // browsers take some that package url does not
		head, _, _ := strings.Cut(raw, "?")
		return withoutUser(head)
	}
	if u.User == nil && u.RawQuery == "" {
		return raw + fragment
	}
	u.User = nil
	u.RawQuery = redactPairs(u.RawQuery)
	return u.String() + fragment
}

// cut bounds a text, in bytes, and says so by its last character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// redactPairs hides the values of name=value&… that give access.
func redactPairs(text string) string {
	pairs := strings.Split(text, "&")
	for i, pair := range pairs {
		name, _, has := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); has && err == nil && slices.Contains(secretParams, strings.ToLower(plain)) {
			pairs[i] = name + "=" + Redacted
		}
	}
	return strings.Join(pairs, "&")
}

// withoutUser takes the user out of a URL that cannot be parsed.
func withoutUser(raw string) string {
	scheme, rest, has := strings.Cut(raw, "//")
	if !has {
		return raw
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return scheme + "//" + strings.TrimSuffix(host+"/"+path, "/")
}
