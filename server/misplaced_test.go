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
