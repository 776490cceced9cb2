package relay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/scope"
)

// protocol is as much of /json/protocol as says what params a method takes.
type protocol struct {
	Domains []struct {
		Domain   string
		Types    []struct{ ID, Type string }
		Commands []struct {
			Name       string
			Parameters []param
		}
	}
}

// param is one parameter of a method: of a type, or of one that is named.
type param struct {
	Name, Type string
	Ref        string `json:"$ref"`
}

// paramsOf reads the parameters of every method, with their types in the
// hub's words.
func paramsOf(t *testing.T) map[string][]param {
	t.Helper()
	raw, err := os.ReadFile("../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var all protocol
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, d := range all.Domains {
		for _, typ := range d.Types {
			named[d.Domain+"."+typ.ID] = typ.Type
		}
	}
	words := map[string]string{"boolean": "bool", "integer": "int32"}
	methods := map[string][]param{}
	for _, d := range all.Domains {
		for _, c := range d.Commands {
			for _, p := range c.Parameters {
				if p.Ref != "" && !strings.Contains(p.Ref, ".") {
					p.Ref = d.Domain + "." + p.Ref
				}
				p.Type = cmp.Or(p.Type, named[p.Ref])
				p.Type = cmp.Or(words[p.Type], p.Type)
				methods[d.Domain+"."+c.Name] = append(methods[d.Domain+"."+c.Name], p)
			}
		}
	}
	return methods
}

// TestR56WrongParams sends every method that the hub answers itself params of
// every wrong type, and with each parameter of every wrong type. Each earns
// one error, and none goes to the Host.
func TestR56WrongParams(t *testing.T) {
	h := newHub(t, Options{})
	host := &mute{}
	setHost(h, host, list(1))
	p := &inbox{}
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	inSession := fmt.Sprintf(`,"sessionId":%q`, onlySession(c))
	n := 1
	// ask returns the answer, of which there must be one.
	ask := func(method, rest string) string {
		n++
		p.take()
		c.Receive(fmt.Appendf(nil, `{"id":%d,"method":%q%s}`, n, method, rest))
		var answers []string
		for _, m := range p.take() {
			if !json.Valid([]byte(m)) {
				t.Fatalf("%s%s: not JSON: %s", method, rest, m)
			}
			if strings.HasPrefix(m, fmt.Sprintf(`{"id":%d,`, n)) {
				answers = append(answers, m)
			}
		}
		if len(answers) != 1 {
			t.Fatalf("%s%s: answered with %q, want one answer", method, rest, answers)
		}
		return answers[0]
	}
	wrong := func(method, rest, want string) {
		if got := ask(method, rest); !strings.Contains(got, want) {
			t.Errorf("%s%s: got %s, want %s", method, rest, got, want)
		}
	}
	values := map[string]string{ // of which types
		`null`: "null", `5`: "int32", `-1.5`: "number", `2147483648`: "number", `1e400`: "number", `true`: "bool", `""`: "string", `"x"`: "string",
		`[]`: "array", `{}`: "object", `{"toString":1}`: "object", `[[[]]]`: "array",
	}
	known := paramsOf(t)
	for name, m := range methods {
		tail := ""
		switch {
		case m.browser == nil && m.page == nil:
			continue // the hub only sees it
		case m.browser == nil:
			tail = inSession
		}
		if m.browser != nil { // Page.handleJavaScriptDialog is the Host's while no dialog is open
			ask(name, "")
			ask(name, `,"params":null`)
		}
		for value, is := range values {
			switch {
			case is == "array" && scope.TakesParams(name):
				wrong(name, `,"params":`+value+tail, `"error":{"code":-32602,"message":"Invalid parameters","data":"Failed to deserialize params - `)
			case is == "array": // it is taken for {}, as by Chromium
				ask(name, `,"params":`+value+tail)
			case is != "object" && is != "null":
				wrong(name, `,"params":`+value+tail, `"error":{"code":-32600,`)
			}
			for _, param := range known[name] {
				if is != param.Type {
					wrong(name, fmt.Sprintf(`,"params":{%q:%s}%s`, param.Name, value, tail),
						`"error":{"code":-32602,"message":"Invalid parameters","data":"Failed to deserialize params.`+param.Name+` `)
				}
			}
		}
	}
	for _, rules := range []string{`[5]`, `[[]]`, `[{"type":5}]`, `[{"exclude":{}}]`, `[{"type":"page"},"x"]`} {
		wrong("Target.getTargets", `,"params":{"filter":`+rules+`}`, `"error":{"code":-32602,`)
	}
	wrong("Browser.getVersion", "", `"protocolVersion"`)
	if n < 400 {
		t.Errorf("only %d cases", n)
	}
	if host.commands > 0 {
		t.Errorf("%d commands reached the Host", host.commands)
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}
