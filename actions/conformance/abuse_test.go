package conformance

import (
	"strings"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// threat is something that comes with bad intent, or by mistake, and what each
// dialect answers to it; "" where there is no such thing. A status is that of
// HTTP.
type threat struct {
	name    string
	answers [5]string
	try     func(v *visitor) string
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
	{"no token", [5]string{"401", "-32000 Authentication required: first request must be 'connect'", "401", "401", "401"}, func(v *visitor) string { return v.enter("", nil) }},
	{"a wrong token", [5]string{"401", "401", "401", "401", "401"}, func(v *visitor) string { return v.enter("", hubtest.Bearer(hubtest.WrongToken)) }},
	{"a wrong token in connect", [5]string{1: "-32001 Authentication failed"}, func(v *visitor) string {
		v.hello = []string{`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"auth":{"token":"` + hubtest.WrongToken + `"}}}`}
		return v.enter("", nil)
	}},
	{"a token in the URL", [5]string{"401", "-32000 Authentication required: first request must be 'connect'", "401", "done", "401"}, func(v *visitor) string { return v.enter("?token="+ownerToken, nil) }},
	{"a foreign Origin", [5]string{"403", "403", "403", "403", "403"}, func(v *visitor) string {
		header := hubtest.Bearer(ownerToken)
		header.Set("Origin", "https://evil.example")
		return v.enter("", header)
	}},
	{"more than the token allows", [5]string{
		"permission denied: tab.close needs scope standard",
		"-32002 permission denied: browser.close_tab needs scope standard",
		"403 CapabilityDenied: permission denied: the hook needs the scope browser:write",
		"-32023 Insufficient permissions for 'page/close'. Required scopes: page:close or page:*",
		"a tool's error: permission denied: browser_close needs scope standard",
	}, func(v *visitor) string { return v.as(readerToken).ask(v.close) }},
	{"a forbidden scheme", [5]string{
		"navigation blocked: Blocked protocol: …",
		"-32002 navigation blocked: Blocked protocol: …",
		"403 UrlBlocked: navigation blocked: Blocked protocol: …",
		"-32602 Blocked protocol: …",
		"a tool's error: navigation blocked: Blocked protocol: …",
	}, func(v *visitor) string { return v.as(ownerToken).going(forbiddenSchemes...) }},
	{"a metadata address", [5]string{
		"navigation blocked: Blocked host (cloud metadata endpoint): …",
		"-32002 navigation blocked: Blocked host (cloud metadata endpoint): …",
		"403 UrlBlocked: navigation blocked: Blocked host (cloud metadata endpoint): …",
		"-32602 Blocked host (cloud metadata endpoint): …",
		"a tool's error: navigation blocked: Blocked host (cloud metadata endpoint): …",
	}, func(v *visitor) string { return v.as(ownerToken).going(metadataAddresses...) }},
	{"a host that is blocked", [5]string{
		"navigation blocked: Domain not allowed: localhost",
		"-32002 navigation blocked: Domain not allowed: localhost",
		"403 UrlBlocked: navigation blocked: Domain not allowed: localhost",
		"-32041 Domain not allowed: localhost",
		"a tool's error: navigation blocked: Domain not allowed: localhost",
	}, func(v *visitor) string {
		return v.as(ownerToken).going(strings.Replace(v.s.app.URL, "127.0.0.1", "localhost", 1))
	}},
	{"a redirect to a metadata address, in a browser", [5]string{
		"navigation blocked: Blocked host (cloud metadata endpoint): …",
		"-32002 navigation blocked: Blocked host (cloud metadata endpoint): …",
		"403 UrlBlocked: navigation blocked: Blocked host (cloud metadata endpoint): …",
		"-32602 Blocked host (cloud metadata endpoint): …",
		"a tool's error: navigation blocked: Blocked host (cloud metadata endpoint): …",
	}, func(v *visitor) string {
		return v.as(ownerToken).going(v.s.app.URL + "/redirect?to=http://169.254.169.254/")
	}},
	{"a redirect to a metadata address, in a frame", [5]string{notSeen, notSeen, notSeen, notSeen, notSeen}, func(v *visitor) string {
		v.prefix = ""
		got := v.as(ownerToken).going(v.s.app.URL + "/redirect?to=http://169.254.169.254/")
		if strings.Contains(got, "avigation failed") || strings.Contains(got, "timed out") { // by what the network there does
			return notSeen
		}
		return got
	}},
	{"an unknown verb", [5]string{
		"unknown action: page.fly",
		"-32601 Method not found: browser.fly",
		"404 HookNotFound: unknown hook: browser.fly",
		"-32601 Unknown method: page/fly",
		"-32602 unknown tool \"browser_fly\"",
	}, func(v *visitor) string { return v.as(ownerToken).ask(v.unknown) }},
	{"a numeric id", [5]string{"protocol error: bad request: invalid type: integer `7`, expected a string", "done, with that id", "", "done, with that id", "done, with that id"}, func(v *visitor) string { return v.as(ownerToken).ask(v.numbered) }},
	{"a batch", [5]string{
		"protocol error: bad request: invalid type: sequence, expected a map",
		"done, done",
		"400 InvalidParams: bad request: a request is an object",
		"-32600 Invalid request: batches are not served, send one object a frame",
		"done",
	}, func(v *visitor) string { return v.as(ownerToken).ask(v.batch) }},
	{"a message of 10 MiB", [5]string{"done", "done", "done", "done", "done"}, func(v *visitor) string { return v.as(ownerToken).ask(padded(v.harmless, 10<<20)) }},
	{"a byte more", [5]string{"closed with 1009", "closed with 1009", "413 InvalidParams: limit exceeded: a request has at most 10485760 bytes", "closed with 1009", "413"}, func(v *visitor) string { return v.as(ownerToken).ask(padded(v.harmless, 10<<20+1)) }},
}

// padded is a message with so many bytes.
func padded(message string, size int) string {
	return message + strings.Repeat(" ", size-len(message))
}
