package conformance

import (
	"strings"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// threat is something that comes with bad intent, or by mistake. What each dialect
// answers to it is in docs/actions.md, see refusals.
type threat struct {
	name string
	try  func(v *visitor) string
}

// metadataAddresses are spellings of hosts that tell a machine's credentials.
var metadataAddresses = []string{
	"http://169.254.169.254/latest/", "https://169.254.169.254/", "http://169.254.169.254:80/", "http://user@169.254.169.254/",
	"http://2852039166/", "http://0xa9fea9fe/", "http://0xA9.0xFE.0xA9.0xFE/", "http://0251.0376.0251.0376/", "http://169.254.43518/",
	"http://169.16689662/", "http://169.254.169.254./", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/",
	"http://[64:ff9b::a9fe:a9fe]/", "http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://metadata.google.internal/",
	"http://METADATA.Google.Internal./", "http://metadata.goog/", `http:\\\\169.254.169.254/`, " http://169.254.169.254/",
}

var forbiddenSchemes = []string{
	"javascript:alert(1)", "JavaScript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vbscript:x", "blob:http://a/b",
	"view-source:http://a/", "chrome://settings", "devtools://x", "ftp://a/", `java\tscript:alert(1)`,
}

// notSeen is what becomes of a frame's navigation that the hub cannot stop.
const notSeen = "it fails or times out: the page there has no agent, and cannot be seen"

var threats = []threat{
	{"no token", func(v *visitor) string { return v.enter("", nil) }},
	{"a wrong token", func(v *visitor) string { return v.enter("", hubtest.Bearer(hubtest.WrongToken)) }},
	{"a wrong token in connect", func(v *visitor) string {
		v.hello = []string{`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"auth":{"token":"` + hubtest.WrongToken + `"}}}`}
		return v.enter("", nil)
	}},
	{"a token in the URL", func(v *visitor) string { return v.enter("?token="+ownerToken, nil) }},
	{"a foreign Origin", func(v *visitor) string {
		header := hubtest.Bearer(ownerToken)
		header.Set("Origin", "https://evil.example")
		return v.enter("", header)
	}},
	{"more than the token allows", func(v *visitor) string { return v.as(readerToken).ask(v.close) }},
	{"a forbidden scheme", func(v *visitor) string { return v.as(ownerToken).going(forbiddenSchemes...) }},
	{"a metadata address", func(v *visitor) string { return v.as(ownerToken).going(metadataAddresses...) }},
	{"a host that is blocked", func(v *visitor) string {
		return v.as(ownerToken).going(strings.Replace(v.s.app.URL, "127.0.0.1", "localhost", 1))
	}},
	{"a redirect to a metadata address, in a browser", func(v *visitor) string {
		return v.as(ownerToken).going(v.s.app.URL + "/redirect?to=http://169.254.169.254/")
	}},
	{"a redirect to a metadata address, in a frame", func(v *visitor) string {
		v.prefix = ""
		got := v.as(ownerToken).going(v.s.app.URL + "/redirect?to=http://169.254.169.254/")
		if strings.Contains(got, "avigation failed") || strings.Contains(got, "timed out") { // by what the network there does
			return notSeen
		}
		return got
	}},
	{"an unknown verb", func(v *visitor) string { return v.as(ownerToken).ask(v.unknown) }},
	{"a numeric id", func(v *visitor) string { return v.as(ownerToken).ask(v.numbered) }},
	{"a batch", func(v *visitor) string { return v.as(ownerToken).ask(v.batch) }},
	{"a message of 10 MiB", func(v *visitor) string { return v.as(ownerToken).ask(padded(v.harmless, 10<<20)) }},
	{"a byte more", func(v *visitor) string { return v.as(ownerToken).ask(padded(v.harmless, 10<<20+1)) }},
}

// padded is a message with so many bytes.
func padded(message string, size int) string {
	return message + strings.Repeat(" ", size-len(message))
}
