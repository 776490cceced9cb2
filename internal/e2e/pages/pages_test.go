// Package pages tests what people see of a hub: its home page, its error pages and
// the ready-made Host page, in a real browser, with axe (web accessibility).
package pages

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

const (
	clientToken = "token-of-clients"
	hostToken   = "token-of-hosts--"
	agentToken  = "token-of-the-agent"
	personToken = "token-of-a-person-"
)

// tokensFile has the tokens of an agent and of a person, who share a browser.
func tokensFile(t *testing.T) string {
	t.Helper()
	text := "tokens:\n"
	for name, token := range map[string]string{"agent": agentToken, "ann": personToken} {
		text += fmt.Sprintf("  - name: %s\n    sha256: %x\n    role: client\n    hub: \"*\"\n    scope: full\n    share: team\n", name, sha256.Sum256([]byte(token)))
	}
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPages(t *testing.T) {
	browser, err := harness.HeadlessShell() // for those who look
	if err != nil {
		t.Fatal(err)
	}
	chromium, err := harness.Chromium() // for what they look at
	if err != nil {
		t.Fatal(err)
	}
	firefox, err := harness.LookUp("FIREFOX", "firefox-esr", "firefox")
	if err != nil {
		t.Fatal(err)
	}
	program, err := harness.CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	tokens := []string{"--client-token", clientToken, "--host-token", hostToken}
	open := harness.StartHub(t, "--ui=false")
	closed := harness.StartHub(t, append(tokens, "--ui=false")...)
	dash := harness.StartHub(t, "--browser-path", chromium, "--browser-no-sandbox", "--browser-hub", "two", "--browser-hub", "three")
	idleDash := harness.StartHub(t)
	closedDash := harness.StartHub(t, tokens...)
	guarded := harness.StartHub(t, "--tokens", tokensFile(t), "--browser-path", chromium, "--browser-no-sandbox", "--browser-hub", "two")
	shop := serve(t, "")
	_, hostPage := harness.StartProxy(t, shop)
	harness.RunPlaywright(t, 40, nil,
		"GUARDED=http://"+guarded.ClientAddr, "AGENT_TOKEN="+agentToken, "PERSON_TOKEN="+personToken, "BROWSED="+chromium,
		"BROWSER="+browser, "FIREFOX="+firefox, "CDPHUB="+program,
		"DASH_CLIENTS=http://"+dash.ClientAddr, "DASH_HOSTS=http://"+dash.HostAddr, "IDLE_DASH=http://"+idleDash.ClientAddr, "CLOSED_DASH=http://"+closedDash.ClientAddr,
		"OPEN_CLIENTS=http://"+open.ClientAddr, "OPEN_HOSTS=http://"+open.HostAddr,
		"CLOSED_CLIENTS=http://"+closed.ClientAddr, "CLOSED_HOSTS=http://"+closed.HostAddr,
		"CLIENT_TOKEN="+clientToken, "HOST_TOKEN="+hostToken,
		"APP="+serve(t, fmt.Sprintf(`<script src="http://%s/agent.js" data-parents="http://%[1]s http://%s http://%s" crossorigin></script>`, open.HostAddr, closed.HostAddr, dash.HostAddr)),
		"PLAIN="+shop, "HOST_PAGE="+hostPage)
}

// serve serves an app of one page with something in its head.
func serve(t *testing.T, head string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><head>%s<title>Field book</title></head><body><h1>Field book</h1></body></html>`, head)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
