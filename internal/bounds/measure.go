package bounds

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

const (
	maxFactors  = 4  // of a product
	deepest     = 8  // names in an error
	longestName = 64 // bytes of one
)

// Exceeds judges the params of a method, nothing or a valid JSON object of at most wire.MaxDepth levels. what is
// "" if all are within their bounds. Otherwise it says what is wrong with the param at path:
//
//	"clip.width", "is 1000000000, at most 131072 is allowed"
//
// It judges each member of a name, if there are several, since readers differ in which one they take. It takes linear
// time and allocates nothing unless it refuses.
func (t *Table) Exceeds(method string, params []byte) (path, what string) {
	if len(params) <= len(`{}`) {
		return "", ""
	}
	of := t.judgmentOf(method)
	m := measure{table: t, in: params}
	m.space()
	m.object(of.params)
	if of.product != nil && m.what == "" {
		m.multiply(of.product)
	}
	return m.where, m.what
}

// measure judges one params object. Its input is valid JSON, which nests at most
// wire.MaxDepth levels.
type measure struct {
	table       *Table
	in          []byte
	i           int
	path        [deepest]span // names of the value at hand, as many as there is room for
	depth       int
	where, what string // the first that is wrong
	factors     [maxFactors]float64
}

// object judges the members of an object, and returns how many there are.
func (m *measure) object(b *Bound) (n int) {
	in := m.in
	i := skipSpace(in, m.i+1) // behind the brace
	for in[i] != '}' {
		if in[i] == ',' {
			i = skipSpace(in, i+1)
		}
		name := span{from: i}
		name.to = wire.SkipString(in, i)
		i = skipSpace(in, name.to)
		m.i = skipSpace(in, i+1) // behind the colon
		if m.depth < deepest {
			m.path[m.depth] = name
		}
		m.depth++
		m.member(b, name)
		if m.depth--; m.what != "" {
			return 0
		}
		i = skipSpace(in, m.i)
		n++
	}
	m.i = i + 1
	return n
}

// member judges the value of a member of an object. What is within every bound is passed without
// a look at its name, which takes longer than all else.
func (m *measure) member(around *Bound, name span) {
	from := m.i
	switch m.in[m.i] {
	case 't', 'f', 'n':
		m.i = wire.SkipValue(m.in, m.i)
		if around.inner != nil {
			m.literal(around.inner[name.of(m.in)], m.in[from:m.i])
		}
		return
	case '"':
		if m.i = wire.SkipString(m.in, m.i); m.i-from <= m.table.shortest {
			return
		}
		m.i = from
	case '[':
		if m.words() {
			return
		}
	}
	m.value(m.table.member(around, name.of(m.in)))
}

// words goes past a list of texts and literals that is within every bound, and reports
// whether it is one.
func (m *measure) words() bool {
	t, in := m.table, m.in
	i := skipSpace(in, m.i+1) // behind the bracket
	n := 0
	for in[i] != ']' {
		if in[i] == ',' {
			i = skipSpace(in, i+1)
		}
		switch in[i] {
		case '"':
			i = wire.SkipString(in, i)
		case 't', 'f', 'n':
			i = wire.SkipValue(in, i)
		default:
			return false
		}
		if n++; n > t.fewest || i-m.i > t.shortest {
			return false
		}
		i = skipSpace(in, i)
	}
	i++
	if n < t.least || i-m.i > t.shortest {
		return false
	}
	m.i = i
	return true
}

// span is a string in the input, with its quotes.
type span struct{ from, to int }

// of decodes the string. It may alias the input.
func (t span) of(in []byte) string {
	s, _ := wire.Text(in[t.from:t.to])
	return s
}

// value judges a value.
func (m *measure) value(b *Bound) {
	from := m.i
	switch c := m.in[m.i]; {
	case b.Whole > 0:
		m.i = wire.SkipValue(m.in, m.i)
		m.most(m.i-from, b.Whole, "is %s bytes long")
	case c == '{':
		m.count(b, m.object(b), "has %s members")
	case c == '[':
		m.count(b, m.array(b), "has %s elements")
	case c == '"':
		m.i = wire.SkipValue(m.in, m.i)
		m.most(m.i-from-len(`""`), cmp.Or(b.Text, m.table.all.Text), "is %s bytes long")
	default:
		m.i = wire.SkipValue(m.in, m.i)
		if c == '-' || '0' <= c && c <= '9' {
			m.number(b, m.in[from:m.i])
		}
	}
}

// array judges the elements of a list, each by the bound of the list, and returns how many
// there are. It goes no further than what the list may have.
func (m *measure) array(b *Bound) (n int) {
	most := cmp.Or(b.Items, m.table.all.Items)
	in := m.in
	i := skipSpace(in, m.i+1) // behind the bracket
	for in[i] != ']' {
		if in[i] == ',' {
			i = skipSpace(in, i+1)
		}
		m.i = i
		if n++; n > most {
			n += m.rest()
			return n
		}
		if m.value(b); m.what != "" {
			return 0
		}
		i = skipSpace(in, m.i)
	}
	m.i = i + 1
	return n
}

// rest counts the elements behind the one at hand, that one left out, and goes past the list.
func (m *measure) rest() (n int) {
	for {
		m.i = wire.SkipValue(m.in, m.i)
		if m.space(); m.in[m.i] == ']' {
			m.i++
			return n
		}
		m.i++ // the comma
		m.space()
		n++
	}
}

// number judges a number.
func (m *measure) number(b *Bound, text []byte) {
	if !b.Number {
		return
	}
	switch v := readNumber(text); {
	case v < b.Min:
		m.refuse("is " + cutText(string(text)) + ", at least " + plainNumber(b.Min) + " is allowed")
	case v > b.Max:
		m.refuse("is " + cutText(string(text)) + ", at most " + plainNumber(b.Max) + " is allowed")
	case b.factor > 0:
		f := &m.factors[b.factor-1]
		*f = max(*f, v, -v)
	}
}

// readNumber reads a number of JSON. What no double holds is infinite, which is beyond every bound.
func readNumber(text []byte) float64 {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' || n > 1e15 {
			v, _ := strconv.ParseFloat(string(text), 64)
			return v
		}
		n = n*10 + int(c-'0')
	}
	return float64(n)
}

// literal judges true, false and null. b is nil where the method has no bound for it.
func (m *measure) literal(b *Bound, text []byte) {
	if b != nil && b.Never == string(text) {
		m.refuse("is " + b.Never + ", which is not allowed")
	}
}

// multiply judges the product of some params.
func (m *measure) multiply(p *product) {
	v := 1.0
	for i, power := range p.powers {
		f := m.factors[i]
		if f == 0 {
			f = p.instead[i]
		}
		for range power {
			v *= f
		}
	}
	if v <= p.max {
		return
	}
	m.where, m.what = p.String(), "is "+plainNumber(v)+", at most "+plainNumber(p.max)+" is allowed"
}

// String is the product as a formula: "clip.width × clip.height × clip.scale²".
func (p *product) String() string {
	parts := make([]string, len(p.names))
	for i, name := range p.names {
		if parts[i] = name; p.powers[i] == 2 {
			parts[i] += "²"
		}
	}
	return strings.Join(parts, " × ")
}

// count judges how many elements or members there are.
func (m *measure) count(b *Bound, n int, what string) {
	if n < b.Least && m.what == "" {
		m.refuse(strings.Replace(what, "%s", strconv.Itoa(n), 1) + ", at least " + strconv.Itoa(b.Least) + " is allowed")
	}
	m.most(n, cmp.Or(b.Items, m.table.all.Items), what)
}

// most judges a count. what has a place for it: "has %s elements".
func (m *measure) most(n, most int, what string) {
	if n > most && m.what == "" {
		m.refuse(strings.Replace(what, "%s", strconv.Itoa(n), 1) + ", at most " + strconv.Itoa(most) + " is allowed")
	}
}

// refuse keeps the first error, of the value at hand.
func (m *measure) refuse(what string) {
	if m.what != "" {
		return
	}
	names := make([]string, min(m.depth, deepest))
	for i := range names {
		names[i] = cutText(m.path[i].of(m.in))
	}
	m.where, m.what = strings.Join(names, "."), what
}

// space goes past white space.
func (m *measure) space() { m.i = skipSpace(m.in, m.i) }

func skipSpace(in []byte, i int) int {
	for in[i] <= ' ' {
		i++
	}
	return i
}

// plainNumber is a number as people write it.
func plainNumber(v float64) string {
	if v > -1e16 && v < 1e16 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// cutText shortens a text for an error.
func cutText(text string) string { return text[:min(len(text), longestName)] }
