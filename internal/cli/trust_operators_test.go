package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR258TokensOfOptions starts a hub with tokens on its command line, and looks for them
// in all that it serves and logs.
func TestR258TokensOfOptions(t *testing.T) {
	clients, hosts, operators := hubtest.FreeAddr(t), hubtest.FreeAddr(t), hubtest.FreeAddr(t)
	const client, host, admin = "client-token-of-an-option", "host-token-of-an-option", "admin-token-of-an-option"
	p := startProcess(t, nil, "serve", "--log-level", "debug", "--client-addr", clients, "--host-addr", hosts, "--admin-addr", operators,
		"--client-token", client, "--host-token", host, "--admin-token", admin)
	p.await(`"listening"`)
	awaitListener(t, clients)
	ask := func(addr, token, path string) {
		status, body := hubtest.Get(t, addr, path, http.Header{"Authorization": {"Bearer " + token}})
		for _, secret := range []string{client, host, admin} {
			if strings.Contains(body, secret) {
				t.Errorf("GET %s: %d, with the token %s", path, status, secret)
			}
		}
	}
	for _, path := range []string{
		"/metrics", "/livez", "/readyz", "/hubs", "/log-level", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1",
		"/debug/pprof/allocs?debug=1", "/debug/pprof/threadcreate?debug=1", "/debug/pprof/block?debug=1", "/debug/pprof/mutex?debug=1", "/debug/pprof/symbol", "/debug/vars",
	} {
		ask(operators, admin, path)
	}
	for _, path := range []string{"/", "/home.json", "/json/version", "/json/list", "/icdp/status", "/health", "/ui/api/state", "/sessions"} {
		ask(clients, client, path)
	}
	for _, path := range []string{"/host.json", "/shell", "/health"} {
		ask(hosts, host, path)
	}
	for _, secret := range []string{client, host, admin} {
		if strings.Contains(p.logs.String(), secret) {
			t.Errorf("the log has the token %s", secret)
		}
	}
}
