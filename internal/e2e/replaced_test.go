package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR348MCPSaysThatTheBrowserWasReplaced ends the browser under a client of MCP over HTTP, and the hub under one
// of cdphub mcp. The next call says what is lost and what to do; the one after it works. While the hub is down, each
// call says that.
func TestR348MCPSaysThatTheBrowserWasReplaced(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Site</title><h1>Welcome</h1>")
	}))
	defer site.Close()
	navigate := toolCall("browser_navigate", map[string]any{"url": site.URL})
	snapshot := toolCall("browser_snapshot", map[string]any{})
	wants := func(t *testing.T, call func(string) string, end func(), lost string) {
		t.Helper()
		if got := call(navigate); !strings.Contains(got, "Welcome") {
			t.Fatalf("the first page: %s", got)
		}
		end()
		if got := call(snapshot); !strings.Contains(got, lost) || !strings.Contains(got, "log in again") {
			t.Errorf("after the end of the browser: %s", got)
		}
		if got := call(navigate); !strings.Contains(got, "Welcome") {
			t.Errorf("in the next browser: %s", got)
		}
	}
	t.Run("over HTTP", func(t *testing.T) {
		h := harness.StartBrowserHub(t, "about:blank")
		wants(t, mcpOverHTTP(t, "http://"+h.ClientAddr+"/mcp"), func() {
			pids := h.Browsers()
			syscall.Kill(-pids[len(pids)-1], syscall.SIGKILL)
			harness.Eventually(t, harness.Soon, func() error {
				if !strings.Contains(h.Log(), "host disconnected") {
					return fmt.Errorf("the hub has a browser")
				}
				return nil
			})
		}, "browser replaced: ")
	})
	t.Run("over a restart of the hub", func(t *testing.T) {
		h := harness.StartBrowserHub(t, "about:blank")
		call := mcpOverStdio(t, "http://"+h.ClientAddr)
		wants(t, call, func() { h.Restart(t) }, "connection lost: ")
	})
	t.Run("while the hub is down", func(t *testing.T) {
		h := harness.StartBrowserHub(t, "about:blank")
		call := mcpOverStdio(t, "http://"+h.ClientAddr)
		call(navigate)
		h.Stop(t)
		for range 2 { // the first one says what is lost, too
			if got := call(snapshot); !strings.Contains(got, "nothing listens at http://"+h.ClientAddr) || strings.Contains(got, "browser replaced") {
				t.Errorf("without a hub: %s", got)
			}
		}
	})
}

func toolCall(name string, arguments any) string {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments}})
	return string(text)
}

const (
	mcpInitialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	mcpInitialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// mcpOverHTTP begins a session, and returns what posts a message and returns the answer.
func mcpOverHTTP(t *testing.T, address string) func(string) string {
	session := ""
	post := func(text string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		session = answer.Header.Get("Mcp-Session-Id")
		body, _ := io.ReadAll(answer.Body)
		return string(body)
	}
	post(mcpInitialize)
	own := session
	return func(text string) string {
		session = own
		return post(text)
	}
}

// mcpOverStdio starts cdphub mcp.
func mcpOverStdio(t *testing.T, url string) func(string) string {
	t.Helper()
	program, err := harness.CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "mcp", "--url", url)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	harness.Start(t, cmd)
	lines := bufio.NewReader(out)
	call := func(text string) string {
		t.Helper()
		fmt.Fprintln(in, text)
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	call(mcpInitialize)
	fmt.Fprintln(in, mcpInitialized)
	return call
}
