package cli

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// TestExamplesWork wants the token of an example to work on a terminal, none of the options
// to be printed anywhere, and the dashboard to be named where it is served.
func TestExamplesWork(t *testing.T) {
	const secret = "token-of-an-option"
	s := start(t, server.Options{Tokens: server.Tokens{Client: secret, Host: secret + "-2"}})
	shown, kept := guide{srv: s, urlTokens: true, terminal: true}, guide{srv: s, urlTokens: true}
	text := shown.examples("snapshot -i")
	_, token, _ := strings.Cut(text, "?token=")
	token, _, _ = strings.Cut(token, "\"")
	hubtest.Dial(t, "ws://"+s.ClientAddr()+"/devtools/browser?token="+token, nil)
	if !strings.Contains(text, "Bearer "+token+"\"") {
		t.Errorf("the examples have more than one token: %s", text)
	}
	for name, text := range map[string]string{"terminal": text, "log": kept.examples("snapshot -i")} {
		if strings.Contains(text, secret) {
			t.Errorf("%s: the token of an option is printed: %s", name, text)
		}
	}
	if text := kept.examples("x"); !strings.Contains(text, tokenVariable) || strings.Contains(text, token) {
		t.Errorf("what may be kept: %s", text)
	}
	if text := shown.listeners(); !strings.Contains(text, "dashboard   "+s.DashboardURL()+"#token="+token) {
		t.Errorf("the dashboard is not named: %s", text)
	}
	if text := kept.listeners(); !strings.Contains(text, s.DashboardURL()+"\n") || strings.Contains(text, token) {
		t.Errorf("what may be kept of the dashboard: %s", text)
	}
	off := false
	none := guide{srv: start(t, server.Options{UI: &off}), terminal: true}
	if text := none.listeners(); strings.Contains(text, "dashboard") {
		t.Errorf("without a dashboard: %s", text)
	}
	open := guide{srv: start(t, server.Options{}), terminal: true}
	if text := open.examples("x"); strings.Contains(text, "oken") {
		t.Errorf("without tokens: %s", text)
	}
}
