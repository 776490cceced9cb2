package scope

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// eventProtocol is what /json/protocol answers, as far as events are concerned.
type eventProtocol struct {
	Domains []struct {
		Domain string
		Types  []*schema
		Events []struct {
			Name       string
			Parameters []*schema
		}
	}
	types map[string]*schema // by DOMAIN.ID
}

// schema is a type, or a member of one.
type schema struct {
	ID, Name, Type string
	Ref            string `json:"$ref"`
	Enum           []string
	Items          *schema
	Properties     []*schema
}

func readEventProtocol(t *testing.T) *eventProtocol {
	t.Helper()
	text, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	p := &eventProtocol{types: make(map[string]*schema)}
	if err := json.Unmarshal(text, p); err != nil {
		t.Fatal(err)
	}
	own := &eventProtocol{}
	if err := json.Unmarshal([]byte(ownEvents), own); err != nil {
		t.Fatal(err)
	}
	p.Domains = append(p.Domains, own.Domains...)
	for _, d := range p.Domains {
		for _, s := range d.Types {
			p.types[d.Domain+"."+s.ID] = s
		}
	}
	return p
}

// ownEvents are those of the hub that are about a page.
const ownEvents = `{"domains":[{"domain":"CdpHub","events":[{"name":"downloadFinished","parameters":[
	{"name":"state","type":"string","enum":["completed","canceled"]},{"name":"reason","type":"string"},{"name":"id","type":"string"},{"name":"name","type":"string"},
	{"name":"type","type":"string"},{"name":"size","type":"integer"},{"name":"sha256","type":"string"},{"name":"url","type":"string"},{"name":"guid","type":"string"},
	{"name":"targetId","$ref":"Target.TargetID"},{"name":"address","type":"string"}]}]}]}`

// typed is what a person types, as it is in an address.
const typed = "https://u:typed@app.example/typed?typed#typed"

// sample makes a value of a schema in which every text is typed, and every object has a
// member that the protocol does not know.
func (p *eventProtocol) sample(domain string, s *schema, depth int) any {
	if s.Ref != "" {
		name := s.Ref
		if !strings.Contains(name, ".") {
			name = domain + "." + name
		}
		owner, _, _ := strings.Cut(name, ".")
		return p.sample(owner, p.types[name], depth)
	}
	switch s.Type {
	case "array":
		if depth > 6 {
			return []any{}
		}
		return []any{p.sample(domain, s.Items, depth+1)}
	case "object":
		o := map[string]any{"unheardOf": typed}
		for _, member := range s.Properties {
			if depth <= 6 {
				o[member.Name] = p.sample(domain, member, depth+1)
			}
		}
		return o
	case "integer", "number":
		return 1
	case "boolean":
		return true
	}
	return typed
}

// identifies are the types of texts that name something of the protocol, and no content.
var identifies = map[string]bool{
	"Fetch.RequestId": true, "Network.RequestId": true, "Network.LoaderId": true, "Page.FrameId": true, "Target.TargetID": true,
	"Target.SessionID": true, "Browser.BrowserContextID": true, "Runtime.UniqueDebuggerId": true,
}

// words are other texts that stay: made by the browser or by a Client, never by a page.
var words = map[string]bool{
	"Fetch.requestPaused.networkId": true, "Inspector.detached.reason": true, "Network.loadingFailed.errorText": true, "Page.lifecycleEvent.name": true, "Page.downloadWillBegin.guid": true, "Page.downloadProgress.guid": true,
	"Browser.downloadWillBegin.guid": true, "Browser.downloadProgress.guid": true, "CdpHub.downloadFinished.guid": true, "Runtime.executionContextCreated.context.name": true,
	"Runtime.executionContextCreated.context.uniqueId": true, "Runtime.executionContextDestroyed.executionContextUniqueId": true,
	"Runtime.executionContextCreated.context.auxData": true, "Target.targetCrashed.status": true, "Target.attachedToTarget.targetInfo.type": true, "Target.attachedToTarget.targetInfo.subtype": true, "Target.targetCreated.targetInfo.type": true,
	"Target.targetCreated.targetInfo.subtype": true, "Target.targetInfoChanged.targetInfo.type": true, "Target.targetInfoChanged.targetInfo.subtype": true, "Network.requestWillBeSent.request.method": true, "Fetch.requestPaused.request.method": true, "Fetch.authRequired.request.method": true,
}

// TestR264NothingTypedIsInAnEventOfAQuietPage fills every event of the protocol with what a
// person types. Only ids, words of the protocol and origins may come through: a member that
// a newer protocol adds does not.
func TestR264NothingTypedIsInAnEventOfAQuietPage(t *testing.T) {
	p := readEventProtocol(t)
	heard := 0
	for _, d := range p.Domains {
		for _, e := range d.Events {
			name := d.Domain + "." + e.Name
			params, err := json.Marshal(p.sample(d.Domain, &schema{Type: "object", Properties: e.Parameters}, 0))
			if err != nil {
				t.Fatal(err)
			}
			seen, ok := Hush(name, params)
			if !ok {
				continue
			}
			heard++
			var out any
			if err := json.Unmarshal(seen, &out); err != nil {
				t.Fatalf("%s: %v in %s", name, err, seen)
			}
			p.judge(t, d.Domain, name, &schema{Type: "object", Properties: e.Parameters}, out)
		}
	}
	if heard < len(table.heard) {
		t.Errorf("%d events are heard, the table has %d", heard, len(table.heard))
	}
}

// judge wants the texts that came through to be ones that may.
func (p *eventProtocol) judge(t *testing.T, domain, path string, s *schema, value any) {
	t.Helper()
	ref := ""
	for s != nil && s.Ref != "" {
		if ref = s.Ref; !strings.Contains(ref, ".") {
			ref = domain + "." + ref
		}
		domain, _, _ = strings.Cut(ref, ".")
		s = p.types[ref]
	}
	switch value := value.(type) {
	case string:
		if strings.Contains(value, "typed") && !identifies[ref] && (s == nil || len(s.Enum) == 0) && !words[path] {
			t.Errorf("%s comes through", path)
		}
	case []any:
		for _, element := range value {
			p.judge(t, domain, path, s.Items, element)
		}
	case map[string]any:
		// An object without members in the protocol has names that the page chooses.
		if s != nil && s.Type == "object" && len(s.Properties) == 0 && strings.Count(path, ".") > 1 && len(value) > 0 && !words[path] {
			t.Errorf("the names of %s come through", path)
		}
		for name, element := range value {
			var member *schema
			for _, m := range s.Properties {
				if m.Name == name {
					member = m
				}
			}
			p.judge(t, domain, path+"."+name, member, element)
		}
	}
}

func TestReduce(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "about:blank": "about:blank", "about:blank#typed": "about:", "https://app.example/a?b#c": "https://app.example/",
		"HTTPS://u:typed@App.example:8443": "https://app.example:8443/", "http://h\\typed": "http://h/", "data:text/html,typed": "data:", "javascript:typed": "javascript:",
		"blob:https://app.example/typed": "https://app.example/", "file:///typed": "file:///", "typed": "", "typed/x:y": "", "http://h?typed@x": "http://h/",
		"chrome-error://chromewebdata/": "chrome-error://chromewebdata/", "mailto:typed": "mailto:",
	} {
		if got := Reduce(in); got != want {
			t.Errorf("%q is reduced to %q, want %q", in, got, want)
		}
	}
}

func TestHushTargets(t *testing.T) {
	quiet := func(id string) bool { return id == "Q" }
	for in, want := range map[string]string{
		`{"targetInfos":[{"targetId":"A","title":"a"}, {"targetId":"Q","title":"typed","url":"http://h/typed","attached":true},{"targetId":"B"}]}`: `{"targetInfos":[{"targetId":"A","title":"a"}, {"targetId":"Q","title":"","url":"http://h/","attached":true},{"targetId":"B"}]}`,
		`{"targetInfo":{"targetId":"Q","title":"typed"}}`: `{"targetInfo":{"targetId":"Q","title":""}}`,
		`{"targetInfo":{"targetId":"A","title":"a"}}`:     `{"targetInfo":{"targetId":"A","title":"a"}}`,
		`{"targetInfos":[]}`:                              `{"targetInfos":[]}`, `{}`: `{}`, `{"a":[1, "x",[ ],{"targetId":"Q","title":"t"}],"b":2}`: `{"a":[1, "x",[ ],{"targetId":"Q","title":""}],"b":2}`,
	} {
		if got := string(HushTargets([]byte(in), quiet)); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", in, got, want)
		}
	}
}
