package main

import (
	"strconv"
	"testing"
)

// jsonrpcTalk is how JSON-RPC speaks.
var jsonrpcTalk = talk{
	handle: "tab_id",
	request: func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	},
	open:     func(url string) (string, string) { return "browser.open_tab", `{"url":"` + url + `"}` },
	opened:   `"result":\{"id":"([^"]+)"`,
	navigate: func(url string) (string, string) { return "browser.navigate", `{"url":"` + url + `"}` },
	evaluate: func(e string) (string, string) { return "browser.evaluate", `{"script":` + jsonText(e) + `}` },
	value:    func(v string) string { return `"value":` + v + `}` },
}

// result and fault match the two kinds of answers.
func result(json string) string { return `\{"jsonrpc":"2.0","id":1,"result":\{` + json + `\}\}` }

func fault(code int, message string) string {
	return `\{"jsonrpc":"2.0","id":1,"error":\{"code":` + strconv.Itoa(code) + `,"message":"` + message + `","data":\{"kind":"[A-Za-z]+","retryable":(true|false)\}\}\}`
}

// TestJSONRPCConformance has every method do its work, and fail in each way
// that it can, on both kinds of targets.
func TestJSONRPCConformance(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(f *hubFlags) { f.BlockURL = []string{"localhost"} })
	refusesPages(t, "/ws", jsonrpcTalk, fault(-32006, "not supported by this target: Target.createTarget .*"))
	conform(t, s, "/ws", jsonrpcTalk, jsonrpcCases())
}
