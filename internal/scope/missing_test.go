package scope

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Missing compares the table with a description of the protocol, as Chromium's
// /json/protocol is, and says what the table has no verdict for: methods,
// events, params that name a path, an address or the like, and members of the
// methods that are judged by them.
func Missing(description []byte) (problems []string) {
	var p protocol
	if err := json.Unmarshal(description, &p); err != nil {
		return []string{err.Error()}
	}
	c := checker{types: make(map[string]property)}
	for _, d := range p.Domains {
		for _, t := range d.Types {
			c.types[d.Domain+"."+t.ID] = t
		}
	}
	for _, d := range p.Domains {
		for _, e := range d.Events {
			if _, known := table.events[d.Domain+"."+e.Name]; !known {
				c.say("%s.%s has no scope", d.Domain, e.Name)
			}
		}
		for _, m := range d.Commands {
			c.method(d.Domain, m)
		}
	}
	return c.problems
}

// protocol is a description of the protocol, as far as the table answers for it.
type protocol struct {
	Domains []struct {
		Domain           string
		Types            []property
		Commands, Events []command
	}
}

type command struct {
	Name       string
	Parameters []property
}

type property struct {
	ID, Name, Type string
	Ref            string `json:"$ref"`
	Items          *property
	Properties     []property
}

type checker struct {
	types    map[string]property
	problems []string
}

func (c *checker) say(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) method(domain string, d command) {
	name := domain + "." + d.Name
	m := table.methods[name]
	if m == nil {
		c.say("%s has no scope", name)
		return
	}
	if m.members != nil {
		for _, q := range d.Parameters {
			if listed := m.members[q.Name]; listed == nil {
				c.say("%s: %s is not among its members", name, q.Name)
			} else if kind := c.kind(domain, q); kind != listed.kind {
				c.say("%s: %s is of type %s, not %s", name, q.Name, kind, listed.kind)
			}
		}
	}
	if m.scope < Privileged {
		c.params(domain, name, "", d.Parameters, nil)
		return
	}
	// Clients of every scope may have tabs of their own.
	for _, q := range d.Parameters {
		if unknown.members[q.Name] != nil && m.members[q.Name] == nil {
			c.say("%s: %s is not among its members", name, q.Name)
		}
	}
}

// kind is the type of a param, looked up where it has a name.
func (c *checker) kind(domain string, q property) string {
	if q.Ref != "" {
		q = c.types[full(domain, q.Ref)]
	}
	if q.Type == "binary" { // in base64
		return "string"
	}
	return q.Type
}

func full(domain, ref string) string {
	if strings.Contains(ref, ".") {
		return ref
	}
	return domain + "." + ref
}

// params looks for those that need a verdict, inside of objects too. Within is
// the types around, since some contain themselves.
func (c *checker) params(domain, method, path string, list []property, within []string) {
	for _, q := range list {
		at := path + q.Name
		if needsVerdict(q.Name) && !hasVerdict(method, at) {
			c.say("%s: %s has no verdict", method, at)
		}
		for _, of := range []*property{&q, q.Items} {
			if of == nil {
				continue
			}
			in, name := domain, full(domain, of.Ref)
			inner := of.Properties
			if of.Ref != "" {
				if slices.Contains(within, name) {
					continue
				}
				in, _, _ = strings.Cut(name, ".")
				inner = c.types[name].Properties
			}
			c.params(in, method, at+".", inner, append(slices.Clone(within), name))
		}
	}
}

func hasVerdict(method, path string) bool {
	domain, verb, _ := strings.Cut(method, ".")
	for _, d := range table.domains {
		for _, p := range d.Params {
			if d.Name == domain && slices.Contains(p.Names, verb+"."+path) {
				return true
			}
		}
	}
	return false
}

// telling are words in the names of params that name something outside of the
// page.
var telling = strings.Fields(`path paths file files dir directory folder url urls uri uris address addresses origin origins
	host hosts domain command commands args location locations server proxy locator`)

func needsVerdict(name string) bool {
	switch name {
	case "targetId", "browserContextId", "windowId", "sessionId":
		return true
	}
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(telling, word) })
}

// wordsOf splits includeCommandLineAPI into include, command, line and api.
func wordsOf(name string) (list []string) {
	from, runes := 0, []rune(name)
	for i := 1; i <= len(runes); i++ {
		begins := i < len(runes) && unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins || i == len(runes) {
			list = append(list, strings.ToLower(string(runes[from:i])))
			from = i
		}
	}
	return list
}
