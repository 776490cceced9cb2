package scope

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestR235EveryParamHasABound compares bounds.txt with the protocol that is committed, and with
// that of the Chromium that is installed.
func TestR235EveryParamHasABound(t *testing.T) {
	committed, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range Unbounded(committed, protocolOfChromium(t)) {
		t.Error(problem)
	}
}

// TestR235TheTestNotices describes params that have no bound and wants each to be missed.
func TestR235TheTestNotices(t *testing.T) {
	const invented = `{"domains":[{"domain":"Page","types":[{"id":"Place","type":"object","properties":[{"name":"distanceToSun","type":"number"}]}],
		"commands":[{"name":"new","parameters":[{"name":"amountOfIt","type":"integer"},{"name":"anything","type":"any"},{"name":"free","type":"object"},
			{"name":"places","type":"array","items":{"$ref":"Place"}},{"name":"amounts","type":"array","items":{"type":"integer"}}]}]}]}`
	got := strings.Join(Unbounded([]byte(invented)), "\n")
	for _, want := range []string{
		"Page.new: the number amountOfIt has no bounds", "Page.new: nothing bounds anything", "Page.new: nothing bounds what is in free",
		"Page.new: the number places.distanceToSun has no bounds", "Page.new: the number amounts has no bounds",
		"a row number names nodeId, which no method has",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%.3000s", want, got)
		}
	}
}

// TestR235Exceeds has what is refused, with the reason, and what is not, since clients send it.
func TestR235Exceeds(t *testing.T) {
	list := func(element string, n int) string { return "[" + strings.Repeat(element+",", n-1) + element + "]" }
	for _, tt := range []struct{ method, params, want string }{
		{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1e9,"height":10,"scale":1}}`, "Page.captureScreenshot: clip.width is 1e9, at most 131072 is allowed"},
		{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1280,"height":10000,"scale":1},"captureBeyondViewport":true}`, ""},
		{"Page.captureScreenshot", `{"clip":{"x":-20,"y":0.5,"width":1280.5,"height":70000,"scale":1}}`, ""},
		{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1000,"height":1000,"scale":10.1}}`, "Page.captureScreenshot: clip.width × clip.height × clip.scale² is 102010000, at most 100000000 is allowed"},
		{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1,"height":1,"scale":-1000}}`, "Page.captureScreenshot: clip.scale is -1000, at least 0 is allowed"},
		{"Page.captureScreenshot", `{"clip":{"width":20000,"height":20000,"scale":1,"width":1}}`, "Page.captureScreenshot: clip.width × clip.height × clip.scale² is 400000000, at most 100000000 is allowed"},
		{"Page.captureScreenshot", `{"clip":{"width":20000},"clip":{"height":20000,"scale":1}}`, "Page.captureScreenshot: clip.width × clip.height × clip.scale² is 400000000, at most 100000000 is allowed"},
		{"Page.captureScreenshot", `{"\u0063lip":{"wi\u0064th":1E400}}`, "Page.captureScreenshot: clip.width is 1E400, at most 131072 is allowed"},
		{"Page.captureScreenshot", `{"clip":{"width":1,"width":131073,"width":1}}`, "Page.captureScreenshot: clip.width is 131073, at most 131072 is allowed"},
		{"Emulation.setDeviceMetricsOverride", `{"width":0,"height":0,"deviceScaleFactor":0,"mobile":false}`, ""},
		{"Emulation.setDeviceMetricsOverride", `{"width":412,"height":915,"deviceScaleFactor":4.5,"mobile":true}`, ""},
		{"Emulation.setDeviceMetricsOverride", `{"width":7680,"height":4320,"deviceScaleFactor":1,"mobile":false}`, ""},
		{"Emulation.setDeviceMetricsOverride", `{"width":0,"height":0,"deviceScaleFactor":5,"mobile":false}`, "Emulation.setDeviceMetricsOverride: width × height × deviceScaleFactor² is 156250000, at most 100000000 is allowed"},
		{"Page.printToPDF", `{"paperWidth":8.27,"paperHeight":11.69,"scale":1}`, ""},
		{"Page.printToPDF", `{"paperWidth":0.000000001}`, "Page.printToPDF: paperWidth is 0.000000001, at least 0.5 is allowed"},
		{"Browser.setWindowBounds", `{"windowId":1,"bounds":{"left":-32000,"width":3840,"height":2160}}`, ""},
		{"Browser.setWindowBounds", `{"windowId":1,"bounds":{"width":2147483647}}`, "Browser.setWindowBounds: bounds.width is 2147483647, at most 10000 is allowed"},
		{"DOMSnapshot.captureSnapshot", `{"computedStyles":` + list(`"a"`, 1000) + `}`, ""},
		{"DOMSnapshot.captureSnapshot", `{"computedStyles": ` + list(` "a" `, 1001) + ` }`, "DOMSnapshot.captureSnapshot: computedStyles has 1001 elements, at most 1000 is allowed"},
		{"Input.dispatchMouseEvent", `{"type":"mouseMoved","x":-50000.5,"y":200000,"button":"none","clickCount":1}`, ""},
		{"Input.dispatchTouchEvent", `{"type":"touchStart","touchPoints":` + list(`{"x":1,"y":1}`, 19) + `}`, "Input.dispatchTouchEvent: touchPoints has 19 elements, at most 16 is allowed"},
		{"Runtime.evaluate", `{"expression":"` + strings.Repeat("x", 5<<20) + `","contextId":3}`, ""},
		{"Runtime.evaluate", `{"expression":"1","objectGroup":"` + strings.Repeat("x", 300_000) + `"}`, "Runtime.evaluate: objectGroup is 300000 bytes long, at most 262144 is allowed"},
		{"Runtime.callFunctionOn", `{"functionDeclaration":"f","arguments":[{"value":{"width":1e300,"list":` + list("1", 5000) + `}}]}`, ""},
		{"Fetch.fulfillRequest", `{"requestId":"1","responseCode":200,"body":"` + strings.Repeat("YQ==", 5<<20) + `"}`, ""},
		{"Page.navigate", `{"url":"data:text/html,` + strings.Repeat("x", 1<<20) + `"}`, ""},
		{"Network.setExtraHTTPHeaders", `{"headers":{"width":"1","scale":"` + strings.Repeat("x", 5000) + `","locale":"` + strings.Repeat("x", 5000) + `"}}`, ""},
		{"Emulation.setTimezoneOverride", `{"timezoneId":"` + strings.Repeat("x", 1001) + `"}`, "Emulation.setTimezoneOverride: timezoneId is 1001 bytes long, at most 1000 is allowed"},
		{"CdpHub.handoff", `{"instructions":"Log in","timeout":1e15}`, "CdpHub.handoff: timeout is 1e15, at most 1000000000000 is allowed"},
		{"Target.setAutoAttach", `{"autoAttach":true,"filter":` + list("{}", 1001) + `}`, "Target.setAutoAttach: filter has 1001 elements, at most 1000 is allowed"},
		{"Page.startScreenRecording", `{"audio":false,"captureArea":"target"}`, ""},
		{"Page.startScreenRecording", `{"aud\u0069o": true }`, "Page.startScreenRecording: audio is true, which is not allowed"},
		{"Page.newerMethod", `{"bounds":[{"width":1e7}]}`, "Page.newerMethod: bounds.width is 1e7, at most 10000 is allowed"},
		{"MyApp.setWidth", `{"width":1e7}`, ""},
		{"setWidth", `{"width":1e7}`, ""},
		{"Page.reload", ``, ""},
		{"Page.reload", `{ }`, ""},
	} {
		got := ""
		if e := Exceeds(tt.method, []byte(tt.params)); e != nil {
			if got = e.Message; e.Code != -32602 {
				t.Errorf("%s: the code is %d, want -32602", tt.method, e.Code)
			}
		}
		if got != tt.want {
			t.Errorf("%s %.100s:\n got %q\nwant %q", tt.method, tt.params, got, tt.want)
		}
	}
}

// TestR235NoAllocation judges commands without taking memory.
func TestR235NoAllocation(t *testing.T) {
	for method, params := range map[string]string{
		"Runtime.evaluate":         `{"expression":"location.href","returnByValue":true,"contextId":2}`,
		"Input.dispatchMouseEvent": `{"type":"mouseMoved","x":10.25,"y":2e1,"modifiers":0,"button":"none"}`,
		"Runtime.callFunctionOn":   `{"functionDeclaration":"() => 1","arguments":[{"value":1},{"objectId":"1"}],"returnByValue":true}`,
	} {
		if n := testing.AllocsPerRun(100, func() { Exceeds(method, []byte(params)) }); n > 1 { // that of []byte
			t.Errorf("%s: %v allocations", method, n)
		}
	}
}

// FuzzR236Exceeds compares with another reader, of encoding/json: whichever of several members of one name a
// reader takes, it finds nothing beyond a bound in what was let through. What the scope writes anew
// is judged as what it has read.
func FuzzR236Exceeds(f *testing.F) {
	for _, seed := range []string{
		`{"clip":{"x":0,"y":0,"width":1e9,"height":1,"scale":1}}`, `{"clip":{"width":1},"clip":{"width":1e6}}`, `{"\u0063lip":{"width":1E+09}}`,
		`{"clip":[{"width":131073}],"Clip":{"WIDTH":1e9}}`, `{"computedStyles":["a",[1,{"width":-1}]]}`, ` {"clip" : {"width" :0.1e7 } , "a":[ ] }`, `{"width":-0,"a":{"b":[[],{}]}}`,
	} {
		f.Add("Page.captureScreenshot", seed)
		f.Add("Runtime.evaluate", seed)
		f.Add("Emulation.setVisibleSize", seed)
	}
	f.Fuzz(func(t *testing.T, method, in string) {
		params := []byte(in)
		if !wireObject(params) {
			return
		}
		err := Exceeds(method, params)
		if err == nil {
			if found := beyond(t, method, params); found != "" {
				t.Errorf("%s %s: %s was let through", method, in, found)
			}
		}
		if _, written, refused := Full.Read(method, params); refused == nil && err == nil && Exceeds(method, written) != nil {
			t.Errorf("%s %s is within its bounds, and what was written is not: %s", method, in, written)
		}
	})
}

// wireObject reports whether a text is an object that a message may have as its params.
func wireObject(b []byte) bool {
	return len(b) > 0 && b[0] == '{' && json.Valid(b) && bytes.Count(b, []byte("[")) < 100 && bytes.Count(b, []byte("{")) < 100
}

// beyond looks for a number outside of its bounds, member by member.
func beyond(t *testing.T, method string, params []byte) (found string) {
	t.Helper()
	if domain, _, _ := strings.Cut(method, "."); !table.isDomain[domain] {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(params))
	d.UseNumber()
	var value func(path []string)
	value = func(path []string) {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'):
			for d.More() {
				name, _ := d.Token()
				value(append(path[:len(path):len(path)], name.(string)))
			}
			_, _ = d.Token()
		case json.Delim('['):
			for d.More() {
				value(path)
			}
			_, _ = d.Token()
		}
		n, is := token.(json.Number)
		for i := range path { // what is inside of a whole is not judged
			is = is && !strings.Contains(path[i], ".") && limits.At(method, strings.Join(path[:i+1], ".")).Whole == 0
		}
		if !is {
			return
		}
		if b := limits.At(method, strings.Join(path, ".")); b.Number {
			if v, _ := strconv.ParseFloat(n.String(), 64); v < b.Min || v > b.Max {
				found = n.String()
			}
		}
	}
	value(nil)
	return found
}

// BenchmarkExceeds judges what clients send most, and a list of many small members.
func BenchmarkExceeds(b *testing.B) {
	for method, params := range map[string]string{
		"Runtime.x":                `{"nodes":[` + strings.Repeat(`{"nodeId":17,"nodeName":"DIV","attributes":["class","row even"],"childNodeCount":3},`, 47) + `{}]}`,
		"Runtime.evaluate":         `{"expression":"location.href","returnByValue":true}`,
		"Input.dispatchMouseEvent": `{"type":"mouseMoved","x":10.25,"y":20,"modifiers":0,"button":"none"}`,
		"Runtime.callFunctionOn":   `{"functionDeclaration":"` + strings.Repeat("x", 4000) + `","objectId":"1.2.3","arguments":[{"value":1}],"returnByValue":true,"awaitPromise":true,"userGesture":true}`,
	} {
		b.Run(method, func(b *testing.B) {
			p := []byte(params)
			for b.Loop() {
				Exceeds(method, p)
			}
		})
	}
}
