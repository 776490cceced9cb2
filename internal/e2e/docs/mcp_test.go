package docs

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is one server of an MCP client's configuration.
type mcpServer struct {
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

// mcp starts each server of a configuration, as an MCP client does, and looks at a
// page.
func (r *run) mcp(t *testing.T) {
	t.Helper()
	var config struct{ MCPServers, Servers map[string]mcpServer }
	if err := json.Unmarshal([]byte(r.text), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.MCPServers)+len(config.Servers) == 0 {
		t.Fatal("the configuration has no servers")
	}
	for _, servers := range []map[string]mcpServer{config.MCPServers, config.Servers} {
		for name, s := range servers {
			t.Run(name, func(t *testing.T) { r.look(t, s) })
		}
	}
}

// look calls the tool of the server that shows a page or the list of pages.
func (r *run) look(t *testing.T, s mcpServer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "docs", Version: "1"}, nil).Connect(ctx, r.transport(t, s), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"browser_snapshot", "list_pages"} {
		if slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == name }) {
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name})
			if err != nil || result.IsError {
				t.Errorf("%s: %v, %v", name, err, result)
			}
			return
		}
	}
	t.Error("the server has no tool that looks at a page")
}

func (r *run) transport(t *testing.T, s mcpServer) mcp.Transport {
	t.Helper()
	if s.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: headers(s.Headers)}}
	}
	cmd := command(t, r.dir, s.Command, s.Args...)
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, r.ports.env()...)
	return &mcp.CommandTransport{Command: cmd}
}

// headers adds them to each request.
type headers map[string]string

func (h headers) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range h {
		req.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(req)
}
