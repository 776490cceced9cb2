package scope

import (
	"encoding/json"
	"slices"
	"strings"
)

// Unbounded compares bounds.txt with descriptions of the protocol, as Chromium's /json/protocol
// is, and says which params have no bound, and which rows name no param of their type in any. The hub's
// own methods are described by the rows "members" of scopes.txt.
func Unbounded(descriptions ...[]byte) (problems []string) {
	w := boundWalker{met: make(map[string]bool)}
	for _, description := range descriptions {
		if err := w.describe(description); err != nil {
			w.say("%v", err)
		}
	}
	for method, m := range table.methods {
		if strings.HasPrefix(method, ownDomain) {
			w.method = method
			for name, member := range m.members {
				w.property("", name, property{Name: name, Type: member.kind}, nil)
			}
		}
	}
	for _, r := range limits.Rows() {
		for _, name := range r.Names {
			name, _, _ = strings.Cut(name, "|")
			if r.Kind == "product" {
				name = r.Method + "." + name
			}
			if kind := strings.Replace(r.Kind, "product", "number", 1); name != "*" && !w.met[kind+" "+name] {
				w.say("a row %s names %s, which no method has as a param of this type", r.Kind, name)
			}
		}
	}
	return w.problems
}

// describe walks the methods of one description.
func (w *boundWalker) describe(description []byte) error {
	var p protocol
	if err := json.Unmarshal(description, &p); err != nil {
		return err
	}
	w.types = make(map[string]property)
	for _, d := range p.Domains {
		for _, t := range d.Types {
			w.types[d.Domain+"."+t.ID] = t
		}
	}
	for _, d := range p.Domains {
		for _, m := range d.Commands {
			w.method = d.Domain + "." + m.Name
			w.properties(d.Domain, "", m.Parameters, nil)
		}
	}
	return nil
}

// boundWalker walks the params of all methods.
type boundWalker struct {
	checker
	method string
	met    map[string]bool // kinds of rows and the names that they may have
}

func (w *boundWalker) properties(domain, path string, list []property, within []string) {
	for _, q := range list {
		w.property(domain, path+q.Name, q, within)
	}
}

// property judges one param, the elements of a list by the name of the list.
func (w *boundWalker) property(domain, path string, q property, within []string) {
	name := q.Name
	if q.Ref != "" {
		of := full(domain, q.Ref)
		if slices.Contains(within, of) {
			return
		}
		within = append(slices.Clone(within), of)
		domain, _, _ = strings.Cut(of, ".")
		q = w.types[of]
	}
	b := limits.At(w.method, path)
	if w.meet(name, path, "whole"); b.Whole > 0 {
		return
	}
	switch q.Type {
	case "integer", "number":
		if w.meet(name, path, "number"); !b.Number {
			w.say("%s: the number %s has no bounds", w.method, path)
		}
	case "string", "binary":
		if w.meet(name, path, "text"); b.Text == 0 {
			w.say("%s: the string %s has no bound", w.method, path)
		}
	case "boolean":
		w.meet(name, path, "never")
	case "array":
		if w.meet(name, path, "items"); b.Items == 0 {
			w.say("%s: the list %s has no bound", w.method, path)
		}
		if q.Items != nil {
			element := *q.Items
			element.Name = name
			w.property(domain, path, element, within)
		}
	case "object":
		if len(q.Properties) == 0 && !strings.HasPrefix(w.method, ownDomain) {
			w.say("%s: nothing bounds what is in %s", w.method, path)
		}
		w.properties(domain, path+".", q.Properties, within)
	default:
		w.say("%s: nothing bounds %s, which is of type %q", w.method, path, q.Type)
	}
}

// meet notes that a row of this kind may have this name.
func (w *boundWalker) meet(name, path, kind string) {
	w.met[kind+" "+name] = true
	w.met[kind+" "+w.method+"."+path] = true
}
