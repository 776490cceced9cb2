package proxy

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Parameters with the address of a site: redirect_uri, post_logout_redirect_uri,
// RelayState, return_to, next, and whatever else applications call it. Those of
// requests name the servers' addresses, which an identity provider compares with the
// registered ones.

// opaque are parameters whose value only their sender understands, and compares.
var opaque = map[string]bool{"state": true, "nonce": true}

// identifiers are opaque ones, and those that name a party: script compares them with
// what a discovery document says.
var identifiers = map[string]bool{"state": true, "nonce": true, "iss": true, "client_id": true, "audience": true, "resource": true}

// moveParams replaces the origin of each value that is an address: of a query, or of a
// form. All other bytes stay, since a signature may be over them.
func moveParams(text string, replace func(origin string) (string, bool), except map[string]bool) string {
	if !strings.Contains(text, "=") {
		return text
	}
	params := strings.Split(text, "&")
	for i, param := range params {
		name, value, _ := strings.Cut(param, "=")
		if except[name] {
			continue
		}
		first, end, colon, slash := readOrigin(value)
		if end == 0 {
			continue
		}
		if to, ok := replace(first); ok {
			params[i] = name + "=" + strings.NewReplacer(":", colon, "/", slash).Replace(to) + value[end:]
		}
	}
	return strings.Join(params, "&")
}

// maxOrigin is how long an origin may be in a parameter.
const maxOrigin = 300

// readOrigin reads the origin that a value begins with, which may be percent-encoded. It
// returns where it ends, and how the value writes colons and slashes. The end is 0 where
// the value is no address of an HTTP server.
func readOrigin(value string) (text string, end int, colon, slash string) {
	var b strings.Builder
	slashes := 0
	for end < len(value) && b.Len() < maxOrigin {
		c, size := value[end], 1
		if c == '%' && end+3 <= len(value) {
			code, err := strconv.ParseUint(value[end+1:end+3], 16, 8)
			if err != nil {
				return "", 0, "", ""
			}
			c, size = byte(code), 3
		}
		if c == '?' || c == '#' || c == '\\' || c == '/' && slashes == 2 {
			break
		}
		switch c {
		case '/':
			slash = value[end : end+size]
			slashes++
		case ':':
			colon = value[end : end+size]
		case '@', '+', ' ':
			return "", 0, "", ""
		}
		b.WriteByte(c)
		end += size
	}
	text = b.String()
	if slashes != 2 || !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return "", 0, "", ""
	}
	return text, end, colon, slash
}

// maxForm is the longest form whose parameters are moved, in bytes. SAML answers have
// some ten thousand.
const maxForm = 1 << 20

// moveForm moves the parameters in the body of a request that a form has sent.
func (m moves) moveForm(r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" || r.ContentLength <= 0 || r.ContentLength > maxForm {
		return
	}
	body, err := io.ReadAll(r.Body)
	text := []byte(moveParams(string(body), m.originToUpstream, opaque))
	rest := io.Reader(bytes.NewReader(text))
	if err != nil { // the transport will find it
		rest = io.MultiReader(rest, errorReader{errors.Join(errForm, err)})
	}
	r.Body = readCloser{rest, r.Body}
	r.ContentLength = int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
}

var errForm = errors.New("the form of the request could not be read")

type errorReader struct{ err error }

// Read implements io.Reader.
func (e errorReader) Read([]byte) (int, error) { return 0, e.err }
