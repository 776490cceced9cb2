package cli

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestHealth asks a hub with every kind of listener as `cdphub health` does.
func TestHealth(t *testing.T) {
	const admin = "an-admin-token-of-the-test"
	dir := t.TempDir()
	cert, key := hubtest.WriteCertificate(t, dir, 1)
	other, _ := hubtest.WriteCertificate(t, t.TempDir(), 2)
	plain, operators, secure := hubtest.FreeAddr(t), hubtest.FreeAddr(t), hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--client-addr", plain, "--host-addr", plain, "--admin-addr", operators,
		"--client-token", "a-client-token-of-the-test", "--host-token", "a-host-token-of-the-test", "--admin-token", admin).await(`"listening"`)
	socket, open := hubtest.AdminSocket(t), hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--client-addr", open, "--host-addr", open, "--admin-addr", socket).await(`"listening"`)
	startProcess(t, nil, "serve", "--client-addr", secure, "--host-addr", secure, "--tls-cert", cert, "--tls-key", key).await(`"listening"`)
	draining := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.Header.Get("Authorization"); token != "" { // whoever it is
			t.Errorf("a URL is sent %q", token)
		}
		http.Error(w, "the hub is shutting down", http.StatusServiceUnavailable)
	}))
	defer draining.Close()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<h1>hello</h1>")) }))
	defer app.Close()
	hangs, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hangs.Close()
	_, port, _ := net.SplitHostPort(plain)

	for name, tt := range map[string]struct {
		args []string
		want string // a pattern of the line
	}{
		"listener of Clients":      {[]string{"--client-addr", plain}, `^healthy: http://` + plain + `/health: \{"status":"ok","version":"0\.8\.0"\} cdphub/`},
		"all addresses":            {[]string{"--client-addr", ":" + port}, `^healthy: http://127\.0\.0\.1:\d+/health: `},
		"all addresses of IPv6":    {[]string{"--client-addr", "[::]:" + port}, `^healthy: http://127\.0\.0\.1:\d+/health: `},
		"URL":                      {[]string{"http://" + plain}, `^healthy: http://` + plain + `/health: `},
		"URL with a path":          {[]string{"http://" + plain + "/hub/x/health"}, `^healthy: http://` + plain + `/hub/x/health: `},
		"listener of operators":    {[]string{"--admin-addr", operators, "--admin-token", admin}, `^healthy: http://` + operators + `/readyz: ok$`},
		"socket of operators":      {[]string{"--admin-addr", socket}, `^healthy: ` + socket + `/readyz: ok$`},
		"liveness":                 {[]string{"--admin-addr", socket, "--live"}, `^healthy: ` + socket + `/livez: ok$`},
		"liveness of nobody":       {[]string{"--live"}, `^--live asks the listener of operators: add --admin-addr$`},
		"no socket":                {[]string{"--admin-addr", socket + "x"}, `^unhealthy: ` + socket + `x/readyz: dial unix .*no such file`},
		"without the token":        {[]string{"--admin-addr", operators}, `^unhealthy: \S+/readyz answered 401: set --admin-token or CDPHUB_ADMIN_TOKEN$`},
		"TLS":                      {[]string{"--client-addr", secure, "--tls-cert", cert}, `^healthy: https://` + secure + `/health: `},
		"URL with TLS":             {[]string{"https://" + secure, "--tls-cert", cert}, `^healthy: https://`},
		"another certificate":      {[]string{"--client-addr", secure, "--tls-cert", other}, `^unhealthy: https://\S+/health: the listener has another certificate than `},
		"an unknown certificate":   {[]string{"https://" + secure}, `^unhealthy: https://\S+/health: tls: failed to verify certificate`},
		"TLS where there is none":  {[]string{"--client-addr", plain, "--tls-cert", cert}, `^unhealthy: https://\S+/health: `},
		"no certificate":           {[]string{"--client-addr", plain, "--tls-cert", key}, `^--tls-cert: .* has no certificate in PEM$`},
		"shutting down":            {[]string{draining.URL + "/readyz?token=secret", "--admin-addr", operators, "--admin-token", admin}, `^unhealthy: http://[\d.:]+/readyz answered 503: the hub is shutting down$`},
		"no listener":              {[]string{"--client-addr", hubtest.FreeAddr(t)}, `^unhealthy: http://\S+/health: dial tcp .*connection refused$`},
		"another program":          {[]string{app.URL}, `^unhealthy: http://\S+/health: another program answers there, which is not a hub$`},
		"no answer":                {[]string{"--client-addr", hangs.Addr().String(), "--timeout", "50ms"}, `^unhealthy: http://\S+/health: no answer within 50ms$`},
		"no address":               {[]string{"--client-addr", "9222"}, `^--client-addr "9222" is not an address: set a host and a port, such as 127\.0\.0\.1:9222$`},
		"URL of something else":    {[]string{"ws://" + plain}, `^"ws://\S+" is not the URL of a hub: use one such as http://127\.0\.0\.1:9222$`},
		"URL that is only an addr": {[]string{"localhost:9222"}, `^"localhost:9222" is not the URL of a hub`},
	} {
		var out bytes.Buffer
		err := run(context.Background(), append([]string{"health"}, tt.args...), &out, &out)
		line := strings.TrimSuffix(out.String(), "\n")
		if err != nil {
			line += err.Error()
		}
		if !regexp.MustCompile(tt.want).MatchString(line) || strings.Contains(line, "\n") {
			t.Errorf("%s: %q, want %s", name, line, tt.want)
		}
		if healthy := strings.HasPrefix(line, "healthy: "); healthy != (err == nil) {
			t.Errorf("%s: the error is %v for %q", name, err, line)
		}
	}
}

// TestHealthReadsTheEnvironmentOfServe is how a container uses it.
func TestHealthReadsTheEnvironmentOfServe(t *testing.T) {
	addr := hubtest.FreeAddr(t)
	t.Setenv("CDPHUB_CLIENT_ADDR", addr)
	startProcess(t, nil, "serve", "--host-addr", addr).await(`"listening"`)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"health"}, &out, &out); err != nil {
		t.Error(err)
	}
}

func TestVersion(t *testing.T) {
	want := regexp.MustCompile(`^cdphub \S+ \(.*go\S+, \w+/\w+\)\n$`)
	for _, args := range []string{"version", "--version"} {
		var out bytes.Buffer
		if err := run(t.Context(), []string{args}, &out, &out); err != nil || !want.MatchString(out.String()) {
			t.Errorf("cdphub %s: %q, %v", args, out.String(), err)
		}
	}
}
