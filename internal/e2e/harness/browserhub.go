package harness

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// StartBrowserHub is StartHub with a headless shell behind the hub, which opens url.
func StartBrowserHub(t testing.TB, url string, args ...string) *Hub {
	t.Helper()
	path, err := browserFor(t)
	if err != nil {
		t.Fatal(err)
	}
	return startWith(t, path, url, args)
}

// StartChromiumHub is StartBrowserHub with a whole Chromium.
func StartChromiumHub(t testing.TB, url string, args ...string) *Hub {
	t.Helper()
	path, err := Chromium()
	if err != nil {
		t.Fatal(err)
	}
	return startWith(t, path, url, args)
}

// startWith starts a hub with the browser at path.
func startWith(t testing.TB, path, url string, args []string) *Hub {
	t.Helper()
	args = append(args, "--browser-path", path, "--browser-no-sandbox")
	for _, a := range append(slices.Clip(likeness), url) {
		args = append(args, "--browser-arg="+a)
	}
	if *scope == "" {
		return StartHub(t, args...)
	}
	const token = "a-token-of-the-clients"
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	text := "tokens: [{token: " + token + ", role: client, hub: \"*\", scope: " + *scope + "}]\n"
	if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h := StartHub(t, append(args, "--tokens", tokens)...)
	h.ClientAddr = bearing(t, h.ClientAddr, token)
	return h
}

// bearing serves what an address does to those who bring no token: it adds that to
// each request, so that every client has it, whichever way it would take one.
func bearing(t testing.TB, addr, token string) string {
	t.Helper()
	behind := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", addr
		r.Out.Host = r.In.Host // which the addresses in answers go by
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(behind.Close)
	return strings.TrimPrefix(behind.URL, "http://")
}

// Browsers returns the ids of the processes that the hub has started browsers as,
// the newest last. Each is the id of a process group, too.
func (h *Hub) Browsers() (pids []int) {
	for line := range strings.Lines(h.Log()) {
		var l struct {
			Msg string
			PID int
		}
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "started a browser" {
			pids = append(pids, l.PID)
		}
	}
	return pids
}

// Living lists the processes that are of a group or have a text, unless it is
// empty, in their arguments: "PID ARGUMENTS" each.
func Living(t testing.TB, group int, text string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(all) == 0 {
		t.Fatalf("this test wants /proc: %v", err)
	}
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // empty when it has ended
		stat, _ := os.ReadFile(filepath.Join(dir, "stat"))    // "pid (name) state ppid pgrp …"
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 || len(args) == 0 {
			continue // it has ended, and is only yet to be waited for
		}
		if string(fields[2]) == strconv.Itoa(group) || text != "" && bytes.Contains(args, []byte(text)) {
			found = append(found, filepath.Base(dir)+" "+string(bytes.ReplaceAll(args, []byte{0}, []byte(" "))))
		}
	}
	return found
}
