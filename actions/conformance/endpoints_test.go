package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// doors are those of the dialects, in the order of threats' answers.
const listTabs = `{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`

var doors = []door{
	{
		path:     "/ndjson",
		hello:    []string{`{"id":"0","action":"tab.new","params":{"url":"{app}/two.html"}}`},
		harmless: `{"id":"1","action":"session.list"}`,
		navigate: `{"id":"1","action":"page.navigate","params":{"url":"{url}","timeout_ms":3000}}`,
		close:    `{"id":"1","action":"tab.close","params":{"page_id":"page-1"}}`,
		unknown:  `{"id":"1","action":"page.fly"}`,
		numbered: `{"id":7,"action":"session.list"}`,
		batch:    `[{"id":"1","action":"session.list"}]`,
		short: func(answer string) string {
			var a struct{ ID, Error string }
			switch err := json.Unmarshal([]byte(answer), &a); {
			case err != nil:
				return answer
			case a.Error == "":
				return "done"
			case a.ID == "":
				return "protocol error: " + a.Error
			}
			return a.Error
		},
	},
	{
		path:     "/ws",
		hello:    []string{`{"jsonrpc":"2.0","id":1,"method":"browser.open_tab","params":{"url":"{app}/two.html"}}`},
		harmless: listTabs,
		navigate: `{"jsonrpc":"2.0","id":1,"method":"browser.navigate","params":{"url":"{url}","timeout_ms":3000}}`,
		close:    `{"jsonrpc":"2.0","id":1,"method":"browser.close_tab","params":{"tab_id":"{page}"}}`,
		unknown:  `{"jsonrpc":"2.0","id":1,"method":"browser.fly"}`,
		numbered: `{"jsonrpc":"2.0","id":7,"method":"browser.list_tabs"}`,
		batch:    `[` + listTabs + `,` + listTabs + `]`,
		short:    shortJSONRPC,
	},
	{
		path: "/hooks/invoke", http: true,
		harmless: `{"name":"browser.list"}`,
		navigate: `{"name":"browser.navigate","params":{"browserId":"{page}","url":"{url}","timeoutMs":3000}}`,
		close:    `{"name":"browser.click","params":{"browserId":"{page}","x":1,"y":1}}`,
		unknown:  `{"name":"browser.fly"}`,
		batch:    `[{"name":"browser.list"}]`,
		short: func(answer string) string {
			var a hookAnswer
			switch err := json.Unmarshal([]byte(answer), &a); {
			case err != nil:
				return ""
			case a.OK:
				return "done"
			}
			return a.Error.Code + ": " + a.Error.Message
		},
	},
	{
		path: "/bap",
		hello: []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initializeParams + `}`,
			`{"jsonrpc":"2.0","id":1,"method":"browser/launch"}`,
			`{"jsonrpc":"2.0","id":1,"method":"page/create","params":{"url":"{app}/two.html"}}`,
		},
		harmless: `{"jsonrpc":"2.0","id":1,"method":"page/list"}`,
		navigate: `{"jsonrpc":"2.0","id":1,"method":"page/navigate","params":{"url":"{url}","timeout":3000}}`,
		close:    `{"jsonrpc":"2.0","id":1,"method":"page/close","params":{"pageId":"page-1"}}`,
		unknown:  `{"jsonrpc":"2.0","id":1,"method":"page/fly"}`,
		numbered: `{"jsonrpc":"2.0","id":7,"method":"page/list"}`,
		batch:    `[{"jsonrpc":"2.0","id":1,"method":"page/list"}]`,
		short:    shortJSONRPC,
	},
	{
		path: "/mcp", http: true,
		hello: []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			callTool("browser_tabs", `{"action":"new","url":"{app}/two.html"}`),
		},
		harmless: callTool("browser_tabs", `{"action":"list"}`),
		navigate: callTool("browser_navigate", `{"url":"{url}"}`),
		close:    callTool("browser_close", `{}`),
		unknown:  callTool("browser_fly", `{}`),
		numbered: strings.Replace(callTool("browser_tabs", `{"action":"list"}`), `"id":1`, `"id":7`, 1),
		batch:    `[` + callTool("browser_tabs", `{"action":"list"}`) + `]`,
		short:    shortJSONRPC,
	},
}

func callTool(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// shortJSONRPC is an answer, or several, of a dialect that speaks JSON-RPC.
func shortJSONRPC(answer string) string {
	var list []json.RawMessage
	if json.Unmarshal([]byte(answer), &list) == nil {
		var all []string
		for _, a := range list {
			all = append(all, shortJSONRPC(string(a)))
		}
		return strings.Join(all, ", ")
	}
	var a struct {
		ID     any
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error struct {
			Code    int
			Message string
		}
	}
	switch err := json.Unmarshal([]byte(answer), &a); {
	case err != nil:
		return ""
	case a.Error.Code != 0:
		return fmt.Sprintf("%d %s", a.Error.Code, a.Error.Message)
	case a.Result.IsError:
		text := a.Result.Content[slices.IndexFunc(a.Result.Content, func(c struct{ Text string }) bool { return c.Text != "" })].Text
		text, _, _ = strings.Cut(strings.TrimPrefix(text, "### Error\nError: "), "\n")
		return "a tool's error: " + text
	case a.ID == 7.0:
		return "done, with that id"
	}
	return "done"
}
