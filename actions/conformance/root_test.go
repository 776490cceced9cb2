package conformance

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestBothAtTheRoot has clients of browser.* and of the Browser Agent Protocol
// dial an address without a path.
func TestBothAtTheRoot(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, c := range map[string]struct{ first, answer, next, then string }{
		"browser.*":       {`{"jsonrpc":"2.0","id":1,"method":"browser_config.get"}`, `"cdp_port":`, `{"jsonrpc":"2.0","id":2,"method":"page/list"}`, `"code":-32601,`},
		"browser.* login": {`{"jsonrpc":"2.0","id":1,"method":"connect","params":{}}`, `"permissions":["*"]`, `{"jsonrpc":"2.0","id":2,"method":"browser.list_tabs"}`, `"tabs":[]`},
		"a batch":         {`[{"jsonrpc":"2.0","id":1,"method":"browser_config.get"}]`, `[{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":2,"method":"initialize"}`, `"code":-32601,`},
		"BAP":             {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `"protocolVersion":`, `{"jsonrpc":"2.0","id":2,"method":"browser.list_tabs"}`, `"code":-32601,`},
		"neither":         {`{"jsonrpc":"2.0","id":1,"method":"nothing"}`, `"Unknown method: nothing"`, `{"jsonrpc":"2.0","id":2,"method":"initialize"}`, `"protocolVersion":`},
	} {
		t.Run(name, func(t *testing.T) {
			p := hubtest.Dial(t, "ws://"+s.ClientAddr()+"/", nil)
			for _, turn := range [][2]string{{c.first, c.answer}, {c.next, c.then}} {
				p.Send(turn[0])
				if got := p.Next(); !strings.Contains(got, turn[1]) {
					t.Errorf("%s is answered %s, want %s in it", turn[0], got, turn[1])
				}
			}
		})
	}
}
