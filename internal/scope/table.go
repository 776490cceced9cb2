package scope

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/cdphub/cdphub/internal/bounds"
)

//go:embed scopes.txt
var text string

// table is scopes.txt.
var table = parseTables(text)

// tables is the table, by the names of the protocol.
type tables struct {
	domains []*Domain

	isDomain map[string]bool

	methods map[string]*method
	events  map[string]Scope
	clears  map[string][]Clear // by domain

	acts   map[string]bool              // methods
	goesOn map[string]bool              // methods, while a page is quiet
	heard  map[string]map[string]string // events, while a page is quiet: kinds by the names of members
}

// Domain is a part of the table, for printing.
type Domain struct {
	Name    string
	About   string
	Methods [Privileged + 1][]string // by scope
	Events  [Privileged + 1][]string
	Params  []Param
	Clears  []Clear
	Acts    []string
}

// Domains is the whole table.
func Domains() []*Domain { return table.domains }

// Param says what holds for some params of the methods of a domain.
type Param struct {
	Rule  string
	Names []string // METHOD.NAME, without the domain
	Why   string
}

// Clear says which members of a domain's events are cleared below a scope.
type Clear struct {
	Scope Scope
	Kind  string // "value" or "headers"
	Names []string
}

// method is one method of the protocol.
type method struct {
	scope Scope
	// members are all that its params may have, by name; nil for a method that
	// is not judged by them.
	members map[string]*member
}

// member is one member of an object in params.
type member struct {
	name  string
	kind  string // of the protocol: "string", "integer", "number", "boolean", "array", "object", "any"
	rule  string
	scope Scope  // of the rules that name one
	why   string // of the rule
	// instead is the value that is sent below the scope, as JSON.
	instead string
	inner   map[string]*member
}

// parseTables reads the table. It is part of the program: what is wrong with it is
// found by any test. Rows of a domain follow its row "domain NAME"; a line that begins with
// a tab and a space continues the one before.
func parseTables(text string) *tables {
	t := &tables{
		isDomain: make(map[string]bool), methods: make(map[string]*method), events: make(map[string]Scope), clears: make(map[string][]Clear),
		acts: make(map[string]bool), goesOn: make(map[string]bool), heard: make(map[string]map[string]string),
	}
	for _, row := range bounds.SplitRows(text) {
		words := strings.Fields(row)
		if words[0] == "domain" {
			t.domains = append(t.domains, &Domain{Name: words[1]})
			t.isDomain[words[1]] = true
			continue
		}
		d := t.domains[len(t.domains)-1]
		switch words[0] {
		case "#":
			d.About = strings.Join(words[1:], " ")
		case "members":
			t.members(d.Name+"."+words[1], words[2:])
		case "param":
			t.param(d, row)
		case "event":
			s := mustScope(words[1])
			d.Events[s] = append(d.Events[s], words[2:]...)
			for _, name := range words[2:] {
				t.events[d.Name+"."+name] = s
			}
		case "clear":
			c := Clear{mustScope(words[1]), words[2], words[3:]}
			d.Clears = append(d.Clears, c)
			t.clears[d.Name] = append(t.clears[d.Name], c)
		case "acts":
			d.Acts = append(d.Acts, words[1:]...)
			noteNames(t.acts, d.Name, words[1:])
		case "quiet":
			t.quiet(d.Name, words[1:])
		default:
			s := mustScope(words[0])
			d.Methods[s] = append(d.Methods[s], words[1:]...)
			for _, name := range words[1:] {
				t.methods[d.Name+"."+name] = &method{scope: s}
			}
		}
	}
	return t
}

// noteNames adds names of a domain to a set.
func noteNames(set map[string]bool, domain string, names []string) {
	for _, name := range names {
		set[domain+"."+name] = true
	}
}

// quiet reads METHOD…, event EVENT… or event KIND NAME…. A name with a dot, EVENT.NAME, is for
// one event alone. The events of a domain stand before their names.
func (t *tables) quiet(domain string, words []string) {
	switch {
	case words[0] != "event":
		noteNames(t.goesOn, domain, words)
	case quietKinds[words[1]] == "":
		for _, name := range words[1:] {
			t.heard[domain+"."+name] = make(map[string]string)
		}
	default:
		for _, name := range words[2:] {
			event, member, one := strings.Cut(name, ".")
			for heard, kinds := range t.heard {
				switch {
				case one && heard == domain+"."+event:
					kinds[member] = quietKinds[words[1]]
				case !one && strings.HasPrefix(heard, domain+"."):
					kinds[name] = quietKinds[words[1]]
				}
			}
		}
	}
}

// quietKinds are the kinds of clearing that rows name.
var quietKinds = map[string]string{"keeps": "keep", "origin": "origin", "empty": "value", "without": "out"}

// mustScope is Parse for the table, which is part of the program.
func mustScope(name string) Scope {
	s, ok := Parse(name)
	if !ok {
		panic(fmt.Sprintf("scopes.txt: %q is not a scope", name))
	}
	return s
}

// members reads NAME:TYPE…; a name with dots is inside the object before them.
func (t *tables) members(name string, list []string) {
	m := t.methods[name]
	m.members = make(map[string]*member)
	for _, entry := range list {
		path, kind, _ := strings.Cut(entry, ":")
		at := m.members
		for {
			head, rest, more := strings.Cut(path, ".")
			if !more {
				at[head] = &member{name: head, kind: kind}
				break
			}
			if at[head].inner == nil {
				at[head].inner = make(map[string]*member)
			}
			at, path = at[head].inner, rest
		}
	}
}

// param reads param RULE METHOD.NAME… — WHY. The methods' members stand before.
func (t *tables) param(d *Domain, row string) {
	head, why, _ := strings.Cut(row, " — ")
	words := strings.Fields(head)
	p := Param{Rule: words[1], Names: words[2:], Why: why}
	d.Params = append(d.Params, p)
	if p.Rule == "any" {
		return
	}
	for _, name := range p.Names {
		verb, path, _ := strings.Cut(name, ".")
		at, found := t.methods[d.Name+"."+verb].members, (*member)(nil)
		for part := range strings.SplitSeq(path, ".") {
			found = at[part]
			at = found.inner
		}
		found.rule, found.why = p.Rule, why
		// Such as "standard-or-false": below standard, false is sent.
		if s, instead, is := strings.Cut(p.Rule, "-or-"); is {
			found.rule, found.scope, found.instead = "or", mustScope(s), instead
			if found.kind == "string" {
				found.instead = `"` + instead + `"`
			}
		} else if s, is := Parse(p.Rule); is {
			found.rule, found.scope = "scope", s
		}
	}
}
