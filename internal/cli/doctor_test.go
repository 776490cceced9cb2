package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestDoctor lacks things one by one, and wants each to be found with what to do.
func TestDoctor(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer app.Close()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := file("open.yaml", "tokens: [{name: a, token: token-of-somebody, role: client}]")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	broken := file("broken", "#!/bin/sh\necho 'No usable sandbox!' >&2; exit 1\n")
	if err := os.Chmod(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		args    []string
		check   string
		state   state
		found   string
		healthy bool
	}{
		{"nothing", nil, "options", fine, "would start", true},
		{"no Chromium", []string{"--browser-path=/nope"}, "chromium", failing, "/nope", false},
		{"no sandbox", []string{"--browser-path", broken, "--browser-no-sandbox"}, "browser start", failing, "user namespaces", false},
		{"a port in use", []string{"--admin-addr", taken.Addr().String()}, "port", failing, "--admin-addr", false},
		{"no YAML", []string{"--tokens", file("bad.yaml", "[")}, "tokens", failing, "not a YAML file", false},
		{"an open file", []string{"--tokens", open}, "tokens", warning, "0644", true},
		{"no Host's token", []string{"--tokens", open}, "tokens", warning, "role host", true},
		{"no certificate", []string{"--tls-cert=/nope", "--tls-key=/nope"}, "certificate", failing, "/nope", false},
		{"open to all", []string{"--client-addr=0.0.0.0:0"}, "options", failing, "--insecure-bind", false},
		{"a bad config", []string{"--config", file("c.yaml", "nonsense: 1")}, "config", failing, `"nonsense" is not an option`, false},
		{"not all options", []string{"--browser-path", broken, "--browser-no-sandbox"}, "options", fine, "the other options are good", false},
		{"a program in place of a hub", []string{"--host-addr", app.Listener.Addr().String()}, "port", failing, "--host-addr", false},
		{"a token for Hosts alone", []string{"--host-token=a-token-of-some-length"}, "options", failing, "no Client could connect", false},
		{"no effect", []string{"--browser-headed"}, "options", failing, "--browser", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", dir) // without a Chromium
			args := append([]string{"doctor", "--json", "--client-addr=127.0.0.1:0", "--host-addr=localhost:0"}, tt.args...)
			var out bytes.Buffer
			err := run(t.Context(), args, &out, io.Discard)
			var got struct {
				OK       bool
				Findings []finding
			}
			if none := json.Unmarshal(out.Bytes(), &got); none != nil {
				t.Fatalf("%v: %s", none, out.String())
			}
			if got.OK != tt.healthy || (err == nil) != tt.healthy || err != nil && !errors.Is(err, errUnwell) {
				t.Errorf("ok is %v, and the error %v; want %v", got.OK, err, tt.healthy)
			}
			for _, f := range got.Findings {
				if f.State != fine && f.Cure == "" {
					t.Errorf("%+v does not say what to do", f)
				}
				if f.Check == tt.check && f.State == tt.state && strings.Contains(f.Found, tt.found) {
					return
				}
			}
			t.Errorf("got %+v, want %s: %s with %q", got.Findings, tt.check, tt.state, tt.found)
		})
	}
}

// TestServeNeedsWholeTokens checks that serve refuses tokens for one side alone.
func TestServeNeedsWholeTokens(t *testing.T) {
	const token = "=a-token-of-some-length"
	for want, args := range map[string][]string{
		"add --client-token":     {"--host-token" + token},
		"Hosts need a token too": {"--client-token" + token},
		"without --admin-addr":   {"--client-token" + token, "--host-token" + token, "--admin-token" + token},
	} {
		err := run(t.Context(), append([]string{"serve", "--client-addr=127.0.0.1:0", "--host-addr=localhost:0"}, args...), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestAwaitApp starts the app after the proxy.
func TestAwaitApp(t *testing.T) {
	addr := hubtest.FreeAddr(t)
	said, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- awaitApp(t.Context(), "http://"+addr+"/", out) }()
	text := make([]byte, 1000)
	n, err := said.Read(text)
	if err != nil || !strings.HasPrefix(string(text[:n]), "Waiting for the app: nothing answers on "+addr) {
		t.Errorf("it says %q, %v", text[:n], err)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if n, err = said.Read(text); err != nil || string(text[:n]) != "The app answers.\n" {
		t.Errorf("then it says %q, %v", text[:n], err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestR321DoctorChecksFiles gives each option that names a file or folder one that
// cannot be used: below a file there is nothing.
func TestR321DoctorChecksFiles(t *testing.T) {
	var c cli
	p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	needed := map[string]string{"browser-profile": "browser-path", "browser-profiles": "browser-path", "tls-cert": "tls-key", "tls-key": "tls-cert"}
	checked := 0
	for _, f := range commandNamed(p.Model, "doctor").Flags {
		if f.PlaceHolder != "FILE" && f.PlaceHolder != "DIR" {
			continue
		}
		checked++
		var out bytes.Buffer
		option := "--" + f.Name
		args := []string{"doctor", "--client-addr=127.0.0.1:0", "--host-addr=localhost:0", option, file + "/below"}
		if other := needed[f.Name]; other != "" {
			args = append(args, "--"+other, file)
		}
		if err := run(t.Context(), args, &out, io.Discard); !errors.Is(err, errUnwell) && err == nil {
			t.Errorf("with %s, doctor finds nothing:\n%s", option, out.String())
		}
		if !strings.Contains(out.String(), option+": ") || !strings.Contains(out.String(), "to do: ") {
			t.Errorf("%s: doctor does not name it:\n%s", option, out.String())
		}
	}
	if checked < 8 {
		t.Errorf("%d options name a file", checked)
	}
}

// TestR353DoctorKnowsItsOwnHub runs doctor with the options of a hub that runs: none of its listeners is another program.
func TestR353DoctorKnowsItsOwnHub(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without a Chromium
	cert, key := hubtest.WriteCertificate(t, t.TempDir(), 1)
	socket := "unix:" + filepath.Join(t.TempDir(), "s")
	tokens := []string{"--client-token", "a-client-token-of-the-test", "--host-token", "a-host-token-of-the-test", "--admin-token", "an-admin-token-of-the-test"}
	for name, more := range map[string][]string{
		"a port":   append(tokens, "--admin-addr", hubtest.FreeAddr(t)),
		"TLS":      append(tokens, "--admin-addr", hubtest.FreeAddr(t), "--tls-cert", cert, "--tls-key", key),
		"a socket": {"--admin-addr", socket},
	} {
		t.Run(name, func(t *testing.T) {
			options := append([]string{"--client-addr", hubtest.FreeAddr(t), "--host-addr", hubtest.FreeAddr(t)}, more...)
			startProcess(t, nil, append([]string{"serve"}, options...)...).await(`"listening"`)
			var out bytes.Buffer
			if err := run(t.Context(), append([]string{"doctor"}, options...), &out, io.Discard); err != nil {
				t.Error(err)
			}
			if n := strings.Count(out.String(), "is in use by a hub"); n != 3 {
				t.Errorf("%d of 3 listeners are the hub's:\n%s", n, out.String())
			}
		})
	}
}
