package mcp

import (
	"context"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
)

// readable are the tools for a token of scope readonly.
var readable = strings.Fields("browser_snapshot browser_find browser_take_screenshot browser_console_messages browser_network_requests browser_network_request browser_wait_for browser_tabs " +
	"browser_get_config browser_generate_locator browser_verify_element_visible browser_verify_text_visible browser_verify_list_visible browser_verify_value")

// TestR24MCPReadersOnlyRead offers a token of scope readonly the tools that
// change nothing, and refuses the others before any work.
func TestR24MCPReadersOnlyRead(t *testing.T) {
	joined := false
	c := actions.Caller{Scope: "readonly", Join: func(actions.EventFunc) (actions.Client, error) {
		joined = true
		return nil, context.Canceled
	}}
	near, far := sdk.NewInMemoryTransports()
	served, err := newSession(c, Options{Groups: Capabilities()}, zap.NewNop()).server(nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	agent, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	list, err := agent.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var offered []string
	for _, tool := range list.Tools {
		offered = append(offered, tool.Name)
	}
	slices.Sort(offered)
	if want := slices.Sorted(slices.Values(readable)); !slices.Equal(offered, want) {
		t.Errorf("offered are %v, want %v", offered, want)
	}
	for _, tool := range tools {
		if slices.Contains(readable, tool.name) {
			continue
		}
		r, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.name, Arguments: map[string]any{"nonsense": 1}})
		if err != nil {
			t.Errorf("%s: %v", tool.name, err)
			continue
		}
		why := "permission denied: " + tool.name + " needs scope standard"
		switch {
		case tool.lacks != "":
			why = tool.name + " is not supported: " + tool.lacks
		case tool.has(full):
			why = "permission denied: " + tool.name + " needs scope full"
		}
		if text := r.Content[0].(*sdk.TextContent).Text; !r.IsError || !strings.Contains(text, "### Error\nError: "+why) {
			t.Errorf("%s: %s", tool.name, text)
		}
	}
	if joined {
		t.Error("the hub was joined for what was refused")
	}
}
