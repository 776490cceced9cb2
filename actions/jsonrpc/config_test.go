package jsonrpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR314ConfigUpdate sends updates one after the other, with the operator's consent and without. The
// configuration has mode ("auto", "connect", "binary"), headless and cdp_port.
func TestR314ConfigUpdate(t *testing.T) {
	const own = `"mode":{"endpoint":"ws://127.0.0.1:9222/devtools/browser","type":"connect"}`
	refused := func(name string) string { return "permission denied: `" + name + "` is not changed from here" }
	configs := new(actions.BrowserConfigs)
	connections := map[string]*hubtest.Peer{}
	connect := func(scope string, allowed *actions.BrowserConfigs) *hubtest.Peer {
		key := fmt.Sprint(scope, allowed != nil)
		if connections[key] == nil {
			connections[key] = dial(t, actions.Caller{Join: tabs{}.join, Scope: scope, Endpoint: "ws://127.0.0.1:9222/devtools/browser", Configs: allowed})
		}
		return connections[key]
	}
	for _, tt := range []struct{ name, scope, browser, want, or string }{
		{"nothing", "", `{}`, `"headless":false,` + own, ""},
		{"what is so already", "", `{"headless":false,"cdp_port":9222,` + own + `}`, `"headless":false,` + own, ""},
		{"a mode that is so already, as text", "", `{"mode":"connect"}`, own, ""},
		{"headless", "", `{"headless":true}`, `"headless":true,` + own, refused("browser.headless")},
		{"the mode", "", `{"mode":{"type":"auto"}}`, `"headless":true,"mode":{"type":"auto"}`, refused("browser.mode.type")},
		{"the mode as text, and headless", "", `{"mode":"connect","headless":false}`, `"headless":false,` + own, ""},
		{"a scope below full", "standard", `{"headless":true}`, refused("browser.headless"), refused("browser.headless")},
		{"scope full", "full", `{"headless":true}`, `"headless":true,`, refused("browser.headless")},
		{"another port, so nothing", "", `{"headless":false,"cdp_port":9000}`, refused("browser.cdp_port"), refused("browser.cdp_port")},
		{"nothing again", "", `{}`, `"headless":true,`, `"headless":false,`},
		{"another endpoint", "", `{"mode":{"type":"connect","endpoint":"ws://a/"}}`, refused("browser.mode.endpoint"), refused("browser.mode.endpoint")},
		{"a program", "", `{"mode":"binary"}`, refused("browser.mode"), refused("browser.mode")},
		{"its path", "", `{"mode":{"type":"binary","path":"/bin/sh"}}`, refused("browser.mode.path"), refused("browser.mode.path")},
		{"a profile", "", `{"user_data_dir":"/tmp"}`, refused("browser.user_data_dir"), refused("browser.user_data_dir")},
		{"an unknown member", "", `{"x":1}`, refused("browser.x"), refused("browser.x")},
	} {
		for _, allowed := range []*actions.BrowserConfigs{configs, nil} {
			want := tt.want
			if allowed == nil && tt.or != "" {
				want = tt.or
			}
			c := connect(tt.scope, allowed)
			c.Send(`{"jsonrpc":"2.0","id":1,"method":"browser_config.update","params":{"browser":` + tt.browser + `}}`)
			if got := c.Next(); !strings.Contains(got, want) {
				t.Errorf("%s, allowed %v:\ngot  %s\nwant %s", tt.name, allowed != nil, got, want)
			}
		}
	}
	if got := configs.Of(""); got != (actions.BrowserConfig{Headless: "true"}) {
		t.Errorf("%+v is kept", got)
	}
}
