package mcp

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
)

// TestR238MCPParamsHaveBounds calls tools with what is beyond a bound, which is refused before any work.
func TestR238MCPParamsHaveBounds(t *testing.T) {
	joined := false
	c := actions.Caller{Join: func(actions.EventFunc) (actions.Client, error) {
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
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"browser_resize", map[string]any{"width": 1e9, "height": 1}, "field `width` is 1000000000, at most 10000 is allowed"},
		{"browser_wait_for", map[string]any{"time": 1e300}, "field `time` is 1e+300, at most 1000000000 is allowed"},
		{"browser_snapshot", map[string]any{"depth": 1e13}, "field `depth` is 10000000000000, at most 1000 is allowed"},
		{"browser_click", map[string]any{"target": strings.Repeat("x", 300_000)}, "field `target` is 300000 bytes long, at most 262144 is allowed"},
	} {
		r, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: tt.tool, Arguments: tt.args})
		if err != nil {
			t.Errorf("%s: %v", tt.tool, err)
			continue
		}
		if text, _ := r.Content[0].(*sdk.TextContent); !r.IsError || text == nil || !strings.Contains(text.Text, tt.want) {
			t.Errorf("%s: %+v, want %q", tt.tool, r.Content[0], tt.want)
		}
	}
	if joined {
		t.Error("the hub was joined for what was refused")
	}
}
