package webtest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// method is a command of the protocol.
type method struct {
	name, domain string
	params       []property
	types        map[string]property // of all domains
}

type property struct {
	ID, Name, Type string
	Ref            string `json:"$ref"`
	Enum           []string
	Optional       bool
	Properties     []property
}

func readProtocol(t *testing.T) (methods []method) {
	t.Helper()
	raw, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Domains []struct {
			Domain   string
			Types    []property
			Commands []struct {
				Name       string
				Parameters []property
			}
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	types := map[string]property{}
	for _, d := range p.Domains {
		for _, of := range d.Types {
			types[d.Domain+"."+of.ID] = of
		}
		for _, c := range d.Commands {
			methods = append(methods, method{d.Domain + "." + c.Name, d.Domain, c.Parameters, types})
		}
	}
	return methods
}

// asking are params that ask for something where those that any method gets do not.
var asking = map[string]object{
	"CSS.forcePseudoState":                        {"forcedPseudoClasses": []any{"active"}},
	"Emulation.setCPUThrottlingRate":              {"rate": 4},
	"Emulation.setEmulatedVisionDeficiency":       {"type": "blurredVision"},
	"Emulation.setLocaleOverride":                 {"locale": "de-DE"},
	"Emulation.setTimezoneOverride":               {"timezoneId": "Europe/Paris"},
	"Network.emulateNetworkConditions":            {"offline": true, "latency": 100, "downloadThroughput": 1, "uploadThroughput": 1},
	"Network.setExtraHTTPHeaders":                 {"headers": object{"X-Asked": "yes"}},
	"Performance.setTimeDomain":                   {"timeDomain": "threadTicks"},
	"Page.handleJavaScriptDialog":                 {"accept": true},
	"Browser.setWindowBounds":                     {"windowId": 1, "bounds": object{"width": 500, "height": 400}},
	"Emulation.setDisplayFeaturesOverride":        {"features": []any{object{"orientation": "vertical", "offset": 0, "maskLength": 0}}},
	"Storage.setCookies":                          {"cookies": []any{}},
	"Network.setCookies":                          {"cookies": []any{}},
	"Target.setAutoAttach":                        {"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true},
	"DOM.setFileInputFiles":                       {"files": []any{}},
	"Runtime.compileScript":                       {"expression": "1", "sourceURL": "", "persistScript": false},
	"Runtime.getProperties":                       {"objectId": "none"},
	"Emulation.setDeviceMetricsOverride":          {"width": 400, "height": 300, "deviceScaleFactor": 1, "mobile": false},
	"Page.startScreencast":                        {"format": "png"},
	"Page.startScreenRecording":                   {"audio": false},
	"Runtime.setAsyncCallStackDepth":              {"maxDepth": 32},
	"Browser.setDownloadBehavior":                 {"behavior": "default", "eventsEnabled": true},
	"Page.setInterceptFileChooserDialog":          {"enabled": true},
	"Emulation.setEmulatedMedia":                  {"features": []any{object{"name": "prefers-color-scheme", "value": "dark"}}},
	"Network.setCookie":                           {"name": "walk", "value": "1"},
	"Emulation.setGeolocationOverride":            {"latitude": 1, "longitude": 2, "accuracy": 1},
	"Emulation.setDefaultBackgroundColorOverride": {"color": object{"r": 1, "g": 2, "b": 3}},
	"Input.dispatchTouchEvent":                    {"type": "touchStart", "touchPoints": []any{object{"x": 5, "y": 5}}},
}

// params are what a method needs, with what there is: the target, a node.
func (w *walk) params(session, target string, m method) object {
	if p := asking[m.name]; p != nil {
		return p
	}
	p := object{}
	for _, q := range m.params {
		switch q.Name {
		case "targetId":
			p[q.Name] = target
		case "sessionId":
			p[q.Name] = session
		case "nodeId":
			root := w.must(session, "DOM.getDocument", nil)["root"].(object)["nodeId"]
			p[q.Name] = w.must(session, "DOM.querySelector", object{"nodeId": root, "selector": "button"})["nodeId"]
		case "url":
			p[q.Name] = w.app
		default:
			if !q.Optional || q.Type == "boolean" && !strings.HasPrefix(q.Name, "exclude") {
				p[q.Name] = w.value(session, target, m, q, 0)
			}
		}
	}
	return p
}

// value is one of a type.
func (w *walk) value(session, target string, m method, q property, depth int) any {
	switch {
	case q.Name == "sessionId":
		return session
	case q.Name == "frameId":
		return target
	case strings.HasPrefix(q.Name, "expression"), q.Name == "functionDeclaration":
		return "(function () {})"
	case q.Ref != "":
		name := q.Ref
		if !strings.Contains(name, ".") {
			name = m.domain + "." + name
		}
		of := m.types[name]
		of.Name = q.Name
		return w.value(session, target, m, of, depth+1)
	case len(q.Enum) > 0:
		return q.Enum[0]
	}
	switch q.Type {
	case "boolean":
		return true
	case "integer", "number":
		return 5
	case "array":
		return []any{}
	case "object":
		o := object{}
		for _, inner := range q.Properties {
			if !inner.Optional && depth < 5 {
				o[inner.Name] = w.value(session, target, m, inner, depth+1)
			}
		}
		return o
	}
	return "x"
}
