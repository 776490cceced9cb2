package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/methods"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// protocolParam is a parameter in /json/protocol.
type protocolParam struct {
	Name, Type, Ref string
	Optional        bool
	Enum            []string
}

// UnmarshalJSON implements json.Unmarshaler: a reference is "$ref".
func (p *protocolParam) UnmarshalJSON(text []byte) error {
	var raw struct {
		Name, Type string
		Ref        string `json:"$ref"`
		Optional   bool
		Enum       []string
	}
	err := json.Unmarshal(text, &raw)
	*p = protocolParam{raw.Name, raw.Type, raw.Ref, raw.Optional, raw.Enum}
	return err
}

// leastParams are, by method, params of the right types with all that must be there.
func leastParams(t *testing.T, addr string) map[string]string {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/json/protocol")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	var all struct {
		Domains []struct {
			Domain string
			Types  []struct {
				ID, Type string
				Enum     []string
			}
			Commands []struct {
				Name       string
				Parameters []protocolParam
			}
		}
	}
	if err != nil || json.Unmarshal(text, &all) != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	types := map[string]protocolParam{}
	for _, d := range all.Domains {
		for _, typ := range d.Types {
			types[d.Domain+"."+typ.ID] = protocolParam{Type: typ.Type, Enum: typ.Enum}
		}
	}
	least := map[string]string{}
	for _, d := range all.Domains {
		for _, c := range d.Commands {
			var params []string
			for _, p := range c.Parameters {
				if p.Ref != "" && !strings.Contains(p.Ref, ".") {
					p.Ref = d.Domain + "." + p.Ref
				}
				if !p.Optional {
					params = append(params, fmt.Sprintf("%q:%s", p.Name, leastValue(p, types)))
				}
			}
			least[d.Domain+"."+c.Name] = "{" + strings.Join(params, ",") + "}"
		}
	}
	return least
}

// leastValue is a value of a type.
func leastValue(p protocolParam, types map[string]protocolParam) string {
	if p.Ref != "" {
		p = types[p.Ref]
	}
	switch {
	case len(p.Enum) > 0:
		return fmt.Sprintf("%q", p.Enum[0])
	case p.Type == "string":
		return `"x"`
	case p.Type == "boolean":
		return "false"
	case p.Type == "array":
		return "[]"
	case p.Type == "object":
		return "{}"
	}
	return "1"
}

// The levels of methods.Method.
const (
	frameLevel   = 0
	browserLevel = 1
)

// unsent are methods whose answers are not compared, and why.
var unsent = map[string]string{
	"Browser.close":           "a bare Chromium would end",
	"Browser.crash":           "a bare Chromium would end",
	"Browser.crashGpuProcess": "a bare Chromium may end",
	"Fetch.enable":            "its answer is the same: TestR301BrowserLevelInterception compares what it does",
}

// TestR302BrowserLevelMethods sends every method to the browser session of a bare Chromium and of a hub,
// once without params and once with the least that it takes. A hub with a browser answers the same, or a
// row of internal/methods/differences.txt says why not. At a hub of iframes, each method that Chromium and
// the session of an iframe take is taken without a session, too, or a row says why not.
func TestR302BrowserLevelMethods(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers, o.Drain = testBrowser(), time.Millisecond })
	bareAddr, path := bareChromium(t)
	differs, iframes := differences(t, "method"), differences(t, "iframe")
	for method := range differs {
		differs[method] = unsent[method] != ""
	}
	rows, err := methods.Read()
	if err != nil {
		t.Fatal(err)
	}
	inFrame := map[string]methods.Method{}
	for _, row := range rows {
		inFrame[row.Name] = row
	}
	all := leastParams(t, bareAddr)
	if len(all) < 600 {
		t.Fatalf("Chromium has %d methods", len(all))
	}
	for method, least := range all {
		if unsent[method] != "" {
			continue
		}
		bare := &cdpSocket{far: dial(t, "ws://"+bareAddr+path, nil)}
		hub := &cdpSocket{far: dial(t, "ws://"+s.addr(false)+"/hub/chromium/devtools/browser", nil)}
		for _, params := range []string{"{}", least} {
			frame := fmt.Sprintf(`{"id":7,"method":%q,"params":%s}`, method, params)
			want, got := bare.ask(frame), hub.ask(frame)
			if !strings.Contains(want, "-32601") {
				step, found := inFrame[method].First(frameLevel)
				_, atBrowser := inFrame[method].First(browserLevel)
				if alone := found && step.Refused == "" && !atBrowser; alone != iframes[method] {
					t.Errorf("%s: only the session of an iframe takes it: %t, in differences.txt: %t", method, alone, iframes[method])
				}
			}
			if sameAnswer(want, got) {
				continue
			}
			if _, known := differs[method]; !known {
				t.Errorf("%s\nChromium: %s\nthe hub:  %s", frame, want, got)
			}
			differs[method] = true
		}
		bare.Conn.Close(wsconn.ReasonNormal)
		hub.Conn.Close(wsconn.ReasonNormal)
	}
	for method, does := range differs {
		// The least number of a window may be that of one, in either browser, or not.
		if !does && !strings.HasPrefix(method, "Browser.") {
			t.Errorf("differences.txt has %s, which does not differ", method)
		}
	}
}
