package server

import (
	"bytes"
	"compress/gzip"
	"html"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/web"
)

// TestDashboardPage looks at the dashboard of the default hub and of another one.
func TestDashboardPage(t *testing.T) {
	s := start(t, nil)
	for _, path := range []string{"/", "/hub/mine/", "/hub/mine"} {
		prefix := strings.TrimSuffix(path, "/")
		got := s.open(t, s.ClientAddr(), path)
		if got.Status != 200 || got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%s: %d %s", path, got.Status, got.Header.Get("Content-Type"))
		}
		body := html.UnescapeString(got.Body)
		for _, want := range []string{
			`<script defer src="` + prefix + `/ui/app.js">`,
			`<link rel="stylesheet" href="` + prefix + `/ui/app.css">`,
			`connectOverCDP(\"http://` + s.ClientAddr() + prefix + `\")`,
			`"path":"` + prefix + `"`,
			`"shell":"http://` + s.HostAddr() + prefix + `/shell"`,
			`"token":false`,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s:\n%s", path, want, body)
			}
		}
		policy := got.Header.Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
			"connect-src 'self' ws://" + s.ClientAddr(), "frame-ancestors 'none'", "base-uri 'none'",
			"require-trusted-types-for 'script'", "form-action http://" + s.HostAddr() + prefix + "/shell",
		} {
			if !strings.Contains(policy+";", want+";") {
				t.Errorf("%s: the policy %q has no %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(got.Body, "<script>") || strings.Contains(got.Body, "<style") {
			t.Errorf("%s: policy %q, or something inline", path, policy)
		}
	}
	for path, kind := range map[string]string{"/ui/app.js": script, "/hub/mine/ui/app.css": "text/css; charset=utf-8"} {
		if got := s.open(t, s.ClientAddr(), path); got.Status != 200 || got.Header.Get("Content-Type") != kind || got.Body == "" {
			t.Errorf("%s: %d %s", path, got.Status, got.Header.Get("Content-Type"))
		}
	}
}

// TestDashboardPolicyOfStrangeHosts has a Host header that would add to the policy.
func TestDashboardPolicyOfStrangeHosts(t *testing.T) {
	s := start(t, func(o *Options) { o.AllowedHosts = []string{"hub.example"} })
	for _, host := range []string{"127.0.0.1:1;script-src", "127.0.0.1 *", "127.0.0.1,*"} {
		got := s.open(t, s.ClientAddr(), "/", "Host: "+host)
		if policy := got.Header.Get("Content-Security-Policy"); strings.Contains(policy, "*") || strings.Count(policy, "script-src") > 1 {
			t.Errorf("Host %q: %q", host, policy)
		}
	}
}

// TestDashboardOption says where the dashboard is, and where the simple home page
// stays.
func TestDashboardOption(t *testing.T) {
	for name, c := range map[string]struct {
		set  *bool
		bind string
		want bool
	}{
		"on loopback":            {nil, "", true},
		"off":                    {new(false), "", false},
		"beyond loopback":        {nil, "0.0.0.0:0", false},
		"beyond loopback, asked": {new(true), "0.0.0.0:0", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(o *Options) {
				o.UI = c.set
				if c.bind != "" {
					withTokens(o)
					o.ClientAddr = c.bind
				}
			})
			addr := strings.Replace(s.ClientAddr(), "[::]", "127.0.0.1", 1)
			addr = strings.Replace(addr, "0.0.0.0", "127.0.0.1", 1)
			if got := s.open(t, addr, "/"); got.Status != 200 || c.want != strings.Contains(got.Body, "/ui/app.js") || c.want == strings.Contains(got.Body, "/home.js") {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			if status, _ := s.get(t, addr, "/ui/app.js", http.Header{}); (status == 200) != c.want {
				t.Errorf("/ui/app.js: %d", status)
			}
			if got := s.open(t, s.HostAddr(), "/"); !strings.Contains(got.Body, "/home.js") {
				t.Errorf("the listener of Hosts: %s", got.Body)
			}
		})
	}
}

// TestDashboardSize holds the packed size of what a browser loads.
func TestDashboardSize(t *testing.T) {
	const most = 150_000
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for _, name := range []string{"dashboard.js", "dashboard.css"} {
		body, err := web.Dist.ReadFile("dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		z.Write(body)
	}
	s := start(t, nil)
	io.WriteString(z, s.open(t, s.ClientAddr(), "/").Body)
	z.Close()
	if packed.Len() > most {
		t.Errorf("%d bytes, want at most %d", packed.Len(), most)
	}
}
