package browsers_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// A description of the protocol, as Chromium's /json/protocol is.
type (
	description struct {
		Domains []struct {
			Domain   string
			Types    []property
			Commands []struct {
				Name       string
				Parameters []property
			}
		}
	}
	property struct {
		ID, Name, Type string
		Ref            string `json:"$ref"`
		Optional       bool
		Enum           []string
		Items          *property
		Properties     []property
	}
)

// generator makes commands of valid types with odd values.
type generator struct {
	methods []method
	types   map[string]property
}

type method struct {
	domain, name string
	params       []property
}

// spared are methods that the generator leaves out, with the reason.
var spared = map[string]string{
	"Browser.close":      "the hub answers it with {} and closes nothing, but ends the Client that sends it",
	"Target.closeTarget": "it would close the page that the commands are for, which must not end the run early",
	"Page.close":         "likewise",
}

func newGenerator(t testing.TB) *generator {
	t.Helper()
	text, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	g := &generator{types: make(map[string]property)}
	for _, domain := range d.Domains {
		for _, p := range domain.Types {
			g.types[domain.Domain+"."+p.ID] = p
		}
		for _, c := range domain.Commands {
			if spared[domain.Domain+"."+c.Name] == "" {
				g.methods = append(g.methods, method{domain.Domain, c.Name, c.Parameters})
			}
		}
	}
	return g
}

// command makes a command. known are ids that exist, by the names of params.
func (g *generator) command(r *rand.Rand, known map[string][]string) command {
	m := g.methods[r.IntN(len(g.methods))]
	o := odd{g, r, known, 0}
	return command{m.domain + "." + m.name, o.object(m.domain, m.params)}
}

// odd makes odd values, as JSON.
type odd struct {
	*generator
	r     *rand.Rand
	known map[string][]string
	depth int
}

var (
	integers = strings.Fields("0 1 -1 2 3 7 16 100 255 256 1000 10000 65535 65536 100000 1000000 16777216 100000000 2147483647 -2147483648 2147483646 -2")
	numbers  = append(strings.Fields("0.5 -0.5 1e-9 -1e-9 0.1 0.25 1.5 1e3 5 1e5 1e6 1e9 -1e9 9007199254740992 1e15 1e18 1e100 1e308 -1e308 5e-324 1e400"), integers...)
	texts    = []string{
		``, `a`, `0`, `-1`, `*`, `{}`, `[]`, `\u0000`, `\ud800`, `\udfff\ud800`, `😀`, `%s%n`, `../../..`, `a:b`, `body`, `p`, `color`, `div > p:nth-child(2n+1)`,
		`//p`, `about:blank`, `data:text/html,<p>x</p>`, `http://127.0.0.1:1/`, `https://a.invalid/?x=1`, `file:///dev/null`, `javascript:1`, `chrome://version`,
		`en-US`, `Europe/Berlin`, `image/png`, `text/html`, `1`, `1-2147483647`, `(() => 1)()`, `function f() { return this }`, `width: 1e9px`, `:root { zoom: 1e9 }`,
	}
)

// object makes an object of these members; those that are optional are left out half of the time.
func (o *odd) object(domain string, list []property) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, p := range list {
		if p.Optional && o.r.IntN(2) == 0 || o.r.IntN(100) == 0 {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", p.Name, o.value(domain, p.Name, p))
	}
	b.WriteByte('}')
	return b.String()
}

// value makes a value of a type.
func (o *odd) value(domain, name string, p property) string {
	if p.Ref != "" {
		if !strings.Contains(p.Ref, ".") {
			p.Ref = domain + "." + p.Ref
		}
		domain, _, _ = strings.Cut(p.Ref, ".")
		p = o.types[p.Ref]
	}
	if ids := o.known[name]; len(ids) > 0 && o.r.IntN(10) > 0 {
		return ids[o.r.IntN(len(ids))]
	}
	if o.depth++; o.depth > 6 {
		o.depth--
		return `{}`
	}
	defer func() { o.depth-- }()
	switch {
	case len(p.Enum) > 0 && o.r.IntN(20) > 0:
		return fmt.Sprintf("%q", o.pick(p.Enum))
	case p.Type == "integer":
		return o.pick(integers)
	case p.Type == "number":
		return o.pick(numbers)
	case p.Type == "boolean":
		return o.pick([]string{"true", "false"})
	case p.Type == "string", p.Type == "binary":
		return o.text()
	case p.Type == "array" && p.Items != nil:
		return o.array(domain, name, *p.Items)
	case p.Type == "object" && len(p.Properties) > 0:
		return o.object(domain, p.Properties)
	}
	return o.pick([]string{`{}`, `null`, `1`, `"a"`, `[]`, `{"a":{"b":[1,{"c":null}]}}`, strings.Repeat("[", 200) + strings.Repeat("]", 200)})
}

func (o *odd) pick(list []string) string { return list[o.r.IntN(len(list))] }

// text makes a string, one in a hundred long.
func (o *odd) text() string {
	s := o.pick(texts)
	if o.r.IntN(100) == 0 {
		s = strings.Repeat(s, 1+100_000/(len(s)+1))
	}
	return `"` + s + `"`
}

// array makes a list, one in a hundred of them with 100,000 equal elements.
func (o *odd) array(domain, name string, of property) string {
	n := o.r.IntN(4)
	element := func() string { return o.value(domain, name, of) }
	switch o.r.IntN(100) {
	case 0:
		n, element = 100_000, same(element())
	case 1, 2:
		n, element = 1000, same(element())
	}
	list := make([]string, n)
	for i := range list {
		list[i] = element()
	}
	return "[" + strings.Join(list, ",") + "]"
}

// same returns the same each time.
func same(s string) func() string {
	if len(s) > 100 {
		s = "0"
	}
	return func() string { return s }
}
