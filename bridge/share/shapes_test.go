package share

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write shapes.txt anew")

type item struct {
	Name, ID, Type string
	Ref            string `json:"$ref"`
	Items          *item
	Properties     []item
	Parameters     []item
	Returns        []item
}

type protocol struct {
	Domains []struct {
		Domain                  string
		Types, Commands, Events []item
	}
}

func readProtocol(t testing.TB) protocol {
	t.Helper()
	raw, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var p protocol
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestR400ShapesAreThoseOfTheProtocol walks the protocol, so that no method or event with a nodeId, an objectId, a stream
// or a group can be forgotten.
func TestR400ShapesAreThoseOfTheProtocol(t *testing.T) {
	p := readProtocol(t)
	types := make(map[string]item)
	for _, d := range p.Domains {
		for _, one := range d.Types {
			types[d.Domain+"."+one.ID] = one
		}
	}
	kindsOf := map[string]kind{"DOM.NodeId": node, "DOM.Node": tree, "Runtime.RemoteObjectId": remote, "IO.StreamHandle": stream}
	var walk func(domain, path string, one item, around []string, params bool) []string
	walk = func(domain, path string, one item, around []string, params bool) (found []string) {
		if ref := one.Ref; ref != "" {
			if !strings.Contains(ref, ".") {
				ref = domain + "." + ref
			}
			if k, is := kindsOf[ref]; is {
				return []string{path + "=" + kindNames[k]}
			}
			if slices.Contains(around, ref) {
				return nil // a type inside itself: none of them has ids
			}
			inner := types[ref]
			inner.Name = ""
			return walk(strings.SplitN(ref, ".", 2)[0], path, inner, append(slices.Clone(around), ref), params)
		}
		if params && one.Name == "objectGroup" {
			return []string{path + "=group"}
		}
		if one.Items != nil {
			found = walk(domain, path+"[]", *one.Items, around, params)
		}
		for _, m := range one.Properties {
			found = append(found, walk(domain, strings.TrimPrefix(path+"."+m.Name, "."), m, around, params)...)
		}
		return found
	}
	lines := []string{
		"# Where in the protocol nodes, remote objects, streams and object groups are named: > params, < results, ! events.",
		"# Made from httpdiscovery/protocol.json by go test ./bridge/share -run R400 -update.",
	}
	add := func(mark, name, domain string, members []item) {
		line := mark + " " + name
		params := mark == ">"
		both := params && slices.ContainsFunc(members, func(m item) bool { return m.Name == "backendNodeId" })
		for _, m := range members {
			for _, cell := range walk(domain, m.Name, m, nil, params) {
				if cell == "nodeId=node" && both {
					cell = "nodeId=backend"
				}
				line += " " + cell
			}
		}
		if strings.Contains(line, "=") {
			lines = append(lines, line)
		}
	}
	for _, d := range p.Domains {
		for _, c := range d.Commands {
			add(">", d.Domain+"."+c.Name, d.Domain, c.Parameters)
			add("<", d.Domain+"."+c.Name, d.Domain, c.Returns)
		}
		for _, e := range d.Events {
			add("!", d.Domain+"."+e.Name, d.Domain, e.Parameters)
		}
	}
	want := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("shapes.txt", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("shapes.txt")
	if err != nil || string(got) != want {
		t.Errorf("shapes.txt is not what the protocol has: run this test with -update (%v)", err)
	}
}
