package server

import (
	"strings"
	"testing"
)

// Where there are no named sessions, the refusal says why, and what to do.
func TestSessionsThatAreMisplaced(t *testing.T) {
	s := start(t, withActions)
	lines := []string{"Authorization: Bearer " + clientToken}
	for path, want := range map[string]string{
		"/devtools/page/T1?session=work":        "Target.attachToTarget",
		"/hub/x/devtools/page/T1?session=work":  "/devtools/browser?session=NAME",
		"/ndjson?session=work":                  "use their ids",
		"/ws?session=work&grace=1m":             "use their ids",
		"/bap?session=work":                     "connect again",
		"/ui/api/view?target=T1&session=work":   "leave it out",
		"/session/default/cdp?session=a&grace=": "",
	} {
		got := raw(t, s.addr(false), handshake(path, lines...))
		if refused := got.status == 400 && strings.Contains(got.body, "session=NAME works at /devtools/browser"); refused != (want != "") || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s, want %q", path, got.status, got.body, want)
		}
	}
}

// A request to the wrong one of the two ports, or for a name that no hub can have, gets an
// answer that says so.
func TestAddressesThatAreMistaken(t *testing.T) {
	s := start(t, withActions)
	clients := "Authorization: Bearer " + clientToken
	hosts := "Authorization: Bearer " + hostToken
	for _, tt := range []struct {
		hosts       bool
		path, token string
		want        string
	}{
		{false, "/icdp/host", clients, "This is the listener for Clients"},
		{false, "/hub/x/icdp/host", clients, "This is the listener for Clients"},
		{true, "/devtools/browser", hosts, "This is the listener for Hosts"},
		{true, "/hub/x/json/version", hosts, "This is the listener for Hosts"},
		{true, "/devtools/page/T1", hosts, "This is the listener for Hosts"},
		{false, "/hub/My%20shop/json/list", clients, "No hub can have this name"},
		{false, "/hub/x/nothing", clients, "Not found"},
		{false, "/session/x/nothing", clients, "Not found"},
	} {
		if got := raw(t, s.addr(tt.hosts), handshake(tt.path, tt.token)); got.status != 404 || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s: %d %s, want 404 with %q", tt.path, got.status, got.body, tt.want)
		}
	}
}
