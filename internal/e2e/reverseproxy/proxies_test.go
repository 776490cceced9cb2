package reverseproxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// proxies starts reverse proxies with the files of the documentation.
type proxies struct {
	t              *testing.T
	dir, cert, key string
	blocks         map[string][]string // the file for the root, and the one for a path, by language
}

// start starts a proxy at an address, in front of a hub, at the root or below the path /cdp.
func (p proxies) start(kind, addr, hub string, below bool) {
	p.t.Helper()
	dir, err := os.MkdirTemp(p.dir, kind)
	if err != nil {
		p.t.Fatal(err)
	}
	_, port, _ := strings.Cut(addr, ":")
	switch kind {
	case "nginx":
		p.run(p.file(dir, p.nginx(dir, below), "listen 443 ssl", "listen "+addr+" ssl", "/etc/ssl/hub.example.pem", p.cert, "/etc/ssl/hub.example.key", p.key, "127.0.0.1:9222", hub),
			"nginx", "-p", dir, "-e", "stderr", "-c")
	case "caddy":
		text := p.blocks["caddy"][0]
		if below {
			text = p.blocks["caddy"][1]
		}
		p.run(p.file(dir, "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"+text,
			"hub.example {\n", "https://hub.example:"+port+" {\n\tbind 127.0.0.1\n\ttls "+p.cert+" "+p.key+"\n", "127.0.0.1:9222", hub),
			"caddy", "run", "--adapter", "caddyfile", "--config")
	case "traefik":
		p.traefik(addr, hub, below)
	}
	harness.Eventually(p.t, harness.Started, func() error {
		_, err := p.get(addr, "/")
		return err
	})
}

// nginx is a whole configuration around what the documentation shows. The block for a path has lines in the
// place of those of the other one.
func (p proxies) nginx(dir string, below bool) string {
	text := p.blocks["nginx"][0]
	if below {
		for line := range strings.Lines(p.blocks["nginx"][1]) {
			words := strings.Fields(line)
			same := `(?m)^ *` + words[0] + ` .*\n`
			if words[0] == "proxy_set_header" {
				same = `(?m)^ *` + words[0] + " " + words[1] + ` .*\n`
			}
			text = regexp.MustCompile(same).ReplaceAllString(text, strings.ReplaceAll(line, "$", "$$"))
		}
	}
	temp := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temp += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
	}
	return "daemon off;\nmaster_process off;\npid " + filepath.Join(dir, "pid") + ";\nevents {}\nhttp {\naccess_log off;\n" + temp + text + "}\n"
}

// traefik behaves as Traefik's documentation says of the file that we show: it passes on the Host, says how it was
// asked (with wss for WebSockets), and notes the prefix that stripPrefix has cut off. Traefik itself is no package of Debian.
func (p proxies) traefik(addr, hub string, below bool) {
	file := p.blocks["yaml"][0]
	find := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(file)
		if m == nil {
			p.t.Fatalf("the file for Traefik has no %s", pattern)
		}
		return m[1]
	}
	prefix := find("PathPrefix\\(`(/[a-z]+)`\\)")
	if stripped := find(`stripPrefix:\n +prefixes: \[(.*)\]`); stripped != prefix {
		p.t.Errorf("the prefix of the rule is %s, and that of the middleware %s", prefix, stripped)
	}
	to, err := url.Parse(strings.Replace(find(`url: (.*)`), "127.0.0.1:9222", hub, 1))
	if err != nil {
		p.t.Fatal(err)
	}
	if !below {
		prefix = ""
	}
	server := httptest.NewUnstartedServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		path, cut := strings.CutPrefix(r.In.URL.Path, prefix)
		r.Out.URL.Path, r.Out.URL.RawPath = path, ""
		r.SetURL(to)
		r.SetXForwarded()
		r.Out.Host = r.In.Host
		if cut && prefix != "" {
			r.Out.Header.Set("X-Forwarded-Prefix", prefix)
		}
		if r.In.Header.Get("Upgrade") != "" {
			r.Out.Header.Set("X-Forwarded-Proto", "wss")
		}
	}})
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // browsers that try the certificate first
	server.Listener.Close()
	if server.Listener, err = net.Listen("tcp", addr); err != nil {
		p.t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		p.t.Fatal(err)
	}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	p.t.Cleanup(server.Close)
}

// file writes a text, with other words in the place of some.
func (p proxies) file(dir, text string, replaced ...string) string {
	p.t.Helper()
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(text, replaced[i]) {
			p.t.Errorf("the file has no %q", replaced[i])
		}
	}
	name := filepath.Join(dir, "config")
	if err := os.WriteFile(name, []byte(strings.NewReplacer(replaced...).Replace(text)), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return name
}

// run runs a program with a file until the end of the test.
func (p proxies) run(file, program string, args ...string) {
	p.t.Helper()
	path, err := harness.LookUp(strings.ToUpper(program), program, "/usr/sbin/"+program)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), path, append(args, file)...)
	home := filepath.Dir(file)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	said := new(strings.Builder)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		cmd.Process.Kill() // it may have ended
		cmd.Wait()
		if p.t.Failed() {
			p.t.Logf("%s said:\n%s", program, said)
		}
	})
}

// get asks what listens at an address, as the hub's own name.
func (p proxies) get(addr, path string) (string, error) {
	to := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // a certificate of the test
	defer to.CloseIdleConnections()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "https://"+addr+path, http.NoBody)
	if err != nil {
		return "", err
	}
	req.Host = strings.TrimPrefix(base(addr), "https://")
	to.TLSClientConfig.ServerName = "hub.example"
	resp, err := to.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", string(body)), err
}
