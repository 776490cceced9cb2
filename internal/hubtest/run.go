package hubtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tokens of tests.
const (
	ClientToken = "token-of-clients"
	HostToken   = "token-of-hosts--"
	AdminToken  = "token-of-admins-"
	WrongToken  = "token-of-nobody-"
)

// Run runs a server until stop is called, or the test ends. Stop waits until it
// has drained.
func Run(t testing.TB, serve func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("run: %v", err)
			}
		case <-time.After(Within):
			t.Error("run did not end")
		}
	})
	t.Cleanup(stop)
	return stop
}

// TokenFile writes a file of tokens, and returns how to write it again.
func TokenFile(t testing.TB, text string) (path string, rewrite func(string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens.yaml")
	rewrite = func(text string) {
		t.Helper()
		if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(text)
	return path, rewrite
}

// networkOf is the network and the address of a listener, which may be unix:PATH.
func networkOf(addr string) (network, at string) {
	if path, is := strings.CutPrefix(addr, "unix:"); is {
		return "unix", path
	}
	return "tcp", addr
}

// AdminSocket is an address for the listener of operators that ends with the test.
func AdminSocket(t testing.TB) string {
	t.Helper()
	// Not t.TempDir, whose path may be longer than the 104 bytes of a socket's.
	dir, err := os.MkdirTemp("", "admin") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return "unix:" + filepath.Join(dir, "s")
}

// Get asks one address for a path exactly as it stands, with these headers.
func Get(t testing.TB, addr, path string, header http.Header) (status int, body string) {
	t.Helper()
	host := addr
	if network, _ := networkOf(addr); network == "unix" {
		host = "localhost"
	}
	if h := header.Get("Host"); h != "" {
		host = h
	}
	var lines strings.Builder
	if err := header.WriteSubset(&lines, map[string]bool{"Host": true}); err != nil {
		t.Fatal(err)
	}
	a := Raw(t, addr, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, lines.String()))
	return a.Status, a.Body
}

// Eventually waits until a condition holds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Within); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

// PostJSON sends a request with a body of JSON.
func PostJSON(ctx context.Context, url string, header http.Header, body []byte) (status int, text string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	maps.Copy(req.Header, header)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(out), err
}

// MustPostJSON is PostJSON for what must be answered, within a minute.
func MustPostJSON(t testing.TB, url string, header http.Header, body []byte) (status int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Within)
	defer cancel()
	status, text, err := PostJSON(ctx, url, header, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, text
}
