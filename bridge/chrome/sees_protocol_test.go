package chrome

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
)

// named is a method, its answer, or an event, with the types of ids that it names.
type named struct {
	name   string
	names  map[string]bool
	fields []field
}

type field struct {
	Name, Type string
	Ref        string `json:"$ref"`
	Optional   bool
	Enum       []string
	Items      *field
	Properties []field
}

type protocolOfIDs struct{ methods, events []named }

// readProtocol finds all that names a target, a context, a window or a stream.
func readProtocol(t *testing.T) (p protocolOfIDs) {
	t.Helper()
	raw, err := os.ReadFile("../../httpdiscovery/protocol.json")
	var all struct {
		Domains []struct {
			Domain string
			Types  []struct {
				ID string
				field
			}
			Commands, Events []struct {
				Name                string
				Parameters, Returns []field
			}
		}
	}
	if err = errors.Join(err, json.Unmarshal(raw, &all)); err != nil {
		t.Fatal(err)
	}
	types := make(map[string]field)
	for _, d := range all.Domains {
		for _, of := range d.Types {
			types[d.Domain+"."+of.ID] = of.field
		}
	}
	for _, d := range all.Domains {
		for _, c := range d.Commands {
			for i, f := range c.Parameters {
				if !strings.Contains(f.Ref, ".") {
					c.Parameters[i].Type += types[d.Domain+"."+f.Ref].Type
				}
			}
			p.methods = append(p.methods, named{d.Domain + "." + c.Name, idsIn(types, d.Domain, c.Parameters), c.Parameters})
			ids := idsIn(types, d.Domain, c.Returns)
			if _, known := streamMethods[d.Domain+"."+c.Name]; known != ids["IO.StreamHandle"] {
				t.Errorf("%s.%s answers with a stream, or is in streamMethods: both must be true", d.Domain, c.Name)
			}
			if len(ids) > 0 && elsewhere[d.Domain+"."+c.Name] == "" {
				t.Errorf("the answer to %s.%s names an id: add a column or a reason", d.Domain, c.Name)
			}
			if _, known := ofWholeBrowser[d.Domain+"."+c.Name]; !known && (d.Domain == "Tracing" || d.Domain == "Fetch") {
				t.Errorf("%s.%s may show the whole browser: refuse it to Clients with tabs of their own, or add the reason", d.Domain, c.Name)
			}
		}
		for _, e := range d.Events {
			n := named{d.Domain + "." + e.Name, idsIn(types, d.Domain, e.Parameters), e.Parameters}
			switch {
			case len(n.names) == 0, elsewhere[n.name] != "":
			case d.Domain != "Target":
				t.Errorf("the event %s names an id: add a column or a reason", n.name)
			default:
				p.events = append(p.events, n)
			}
		}
	}
	if len(p.events) < 5 || len(p.methods) < 500 {
		t.Fatalf("the protocol has %d events about targets and %d methods", len(p.events), len(p.methods))
	}
	return p
}

// idsIn are the types of ids in fields, also inside of others.
func idsIn(types map[string]field, domain string, list []field) map[string]bool {
	found := make(map[string]bool)
	for _, f := range list {
		in, at := domain, f
		if f.Items != nil {
			at = *f.Items
		}
		if at.Ref != "" {
			name := at.Ref
			if !strings.Contains(name, ".") {
				name = domain + "." + name
			}
			switch name {
			case "Target.TargetID", "Target.TargetInfo", "Browser.BrowserContextID", "Browser.WindowID", "IO.StreamHandle", "Target.SessionID":
				found[name] = true
				continue
			}
			in, _, _ = strings.Cut(name, ".")
			at = types[name]
			delete(types, name) // some contain themselves
			maps.Copy(found, idsIn(types, in, at.Properties))
			types[name] = at
			continue
		}
		maps.Copy(found, idsIn(types, in, at.Properties))
	}
	return found
}

// params are the params with these values, and any for what else must be there.
func (n named) params(values map[string]string) string {
	out := wire.Empty
	for _, f := range n.fields {
		v, given := values[f.Name]
		switch {
		case given && v[0] != '{' && f.Name != "windowId":
			v = `"` + v + `"`
		case given:
		case f.Optional:
			continue
		case len(f.Enum) > 0:
			v = `"` + f.Enum[0] + `"`
		default:
			v = map[string]string{"boolean": "true", "integer": "1", "number": "1", "array": "[]", "object": "{}"}[f.Type]
		}
		if v == "" {
			v = `"x"`
		}
		out = withMember(out, f.Name, []byte(v))
	}
	return string(out)
}
