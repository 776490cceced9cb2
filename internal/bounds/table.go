// Package bounds judges how large the numbers, lists and texts in a JSON object are, by a table.
//
//	table := bounds.Parse(text)
//	path, what := table.Exceeds("Page.captureScreenshot", params) // "" if all are within their bounds
//
// A table is text. A line that begins with a tab and a space continues the row before; "#"
// begins a comment:
//
//	number MIN MAX NAME… — WHY     numbers, and the elements of lists of numbers; the bounds are allowed, too
//	items MIN MAX NAME… — WHY      elements of a list, or members of an object
//	text MAX NAME… — WHY           bytes of a string, as JSON
//	whole MAX NAME… — WHY          bytes of a value of any type, as JSON; nothing inside it is judged
//	product MAX METHOD NAME… — WHY what some params of a method multiply to; a name that is there twice is
//	                               squared. NAME|VALUE: a param that is absent, or 0, counts as VALUE
//	never LITERAL NAME… — WHY      true, false or null, which a param of one method must not be
//
// NAME is the name of a param of any method, in whatever object it is: "nodeId". With a domain before it, it is
// the path of one param of one method: "Page.captureScreenshot.clip.width". The latter wins. "*" is the
// default of all that have no row of this kind; numbers without a row are not judged. MAX may be "message":
// only the size of the whole message bounds the value.
package bounds

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Row is a row of a table.
type Row struct {
	Kind     string   // "number", "items", "text", "whole", "product" or "never"
	Min, Max string   // Max is the literal of "never"
	Method   string   // of a product
	Names    []string // of params
	Why      string
}

// Bound is what holds for one param. A Text or Items of 0 is the default.
type Bound struct {
	Min, Max float64 // of a number
	Number   bool    // Min and Max are set
	Least    int     // elements or members
	Items    int
	Text     int    // bytes as JSON
	Whole    int    // bytes as JSON of a value that is not looked into
	Never    string // a literal

	inner  map[string]*Bound // of the members of an object that have bounds of their own
	factor int               // place in the method's product, from 1
}

// Table says what holds for params. It does not change.
type Table struct {
	rows     []Row
	all      Bound                // of params without a row
	named    map[string]*Bound    // by the last name, in any method
	index    index                // of named
	methods  map[string]*judgment // of methods with rows of their own
	usual    judgment             // of others
	folds    bool                 // named has names also as fold writes them
	shortest int                  // bytes of a string, or of a whole, that is within every bound, with its quotes
	fewest   int                  // elements that are within every bound
	least    int                  // elements that every bound is content with
}

// judgment is what holds for the params of a method.
type judgment struct {
	params  *Bound
	product *product // nil for most
}

// product is what some params of a method multiply to.
type product struct {
	max     float64
	names   []string
	powers  []int
	instead []float64 // of a factor that is absent or 0
}

// message is the bound of what only the size of the message bounds.
const message = math.MaxInt

// Parse reads a table. It is part of the program: it panics where the table is wrong, so that any test
// finds it. Rows of names are applied before those of one method's param, which begin
// with what holds for the name, and products last.
func Parse(text string) *Table {
	t := &Table{named: make(map[string]*Bound), methods: make(map[string]*judgment), shortest: message, fewest: message}
	t.usual.params = &t.all
	for _, line := range SplitRows(text) {
		t.rows = append(t.rows, parseRow(line))
	}
	for _, own := range []bool{false, true} {
		for i := range t.rows {
			for _, name := range t.rows[i].Names {
				if r := &t.rows[i]; r.Kind != "product" && isPath(name) == own {
					r.set(t.boundOf(name))
				}
			}
		}
		t.index.fill(t.named) // what holds for a path begins with what holds for its name
	}
	for i := range t.rows {
		switch r := &t.rows[i]; {
		case r.Kind == "product":
			t.addProduct(r)
		case (r.Kind == "text" || r.Kind == "whole") && r.Max != "message":
			t.shortest = min(t.shortest, int(mustNumber(r.Max)))
		case r.Kind == "items" && r.Max != "message":
			t.fewest, t.least = min(t.fewest, int(mustNumber(r.Max))), max(t.least, int(mustNumber(r.Min)))
		}
	}
	return t
}

// ParseFolded is Parse for what is read by encoding/json, which takes a name of a member in
// any case.
func ParseFolded(text string) *Table {
	t := Parse(text)
	t.folds = true
	for name, b := range maps.Clone(t.named) {
		t.named[foldName(name)] = b
	}
	t.index.fill(t.named)
	return t
}

// foldName is the same for all names that encoding/json takes for each other: also for those
// with U+017F and U+212A in them, which fold to s and k.
func foldName(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// Rows are the rows of the table, in order.
func (t *Table) Rows() []Row { return t.rows }

// At is what holds for a param of a method, with the defaults.
func (t *Table) At(method, path string) Bound {
	b := t.judgmentOf(method).params
	for part := range strings.SplitSeq(path, ".") {
		b = t.member(b, part)
	}
	found := *b
	found.Items, found.Text = cmp.Or(b.Items, t.all.Items), cmp.Or(b.Text, t.all.Text)
	return found
}

// judgmentOf is what holds for a method.
func (t *Table) judgmentOf(method string) *judgment {
	if own := t.methods[method]; own != nil {
		return own
	}
	return &t.usual
}

// member is what holds for a member of an object.
func (t *Table) member(around *Bound, name string) *Bound {
	if around.inner != nil {
		if own := around.inner[name]; own != nil {
			return own
		}
	}
	if named := t.index.find(name); named != nil {
		return named
	}
	if t.folds {
		if named := t.index.find(foldName(name)); named != nil {
			return named
		}
	}
	return &t.all
}

// SplitRows returns the rows of a table, each with the lines that continue it: those that
// begin with a tab and a space. Empty lines and comments (#) are no rows.
func SplitRows(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t "):
			list[len(list)-1] += " " + strings.TrimSpace(line)
		default:
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// parseRow reads one row.
func parseRow(line string) Row {
	head, why, found := strings.Cut(line, " — ")
	words := strings.Fields(head)
	if !found || len(words) < 3 {
		panic(fmt.Sprintf("bounds: %q is not a row", line))
	}
	r := Row{Kind: words[0], Max: words[1], Names: words[2:], Why: why}
	switch r.Kind {
	case "number", "items":
		r.Min, r.Max, r.Names = words[1], words[2], words[3:]
	case "product":
		r.Method, r.Names = words[2], words[3:]
	case "text", "whole":
	case "never":
		for _, name := range r.Names {
			if !isPath(name) {
				panic(fmt.Sprintf("bounds: %q in %q is not a param of one method", name, line))
			}
		}
	default:
		panic(fmt.Sprintf("bounds: %q is not a kind of row", r.Kind))
	}
	return r
}

// isPath reports whether a name in the table is that of one param of one method.
func isPath(name string) bool { return unicode.IsUpper(rune(name[0])) }

// boundOf is the bound of a name or a path, made where it is new.
func (t *Table) boundOf(name string) *Bound {
	if name == "*" {
		return &t.all
	}
	if !isPath(name) {
		if t.named[name] == nil {
			t.named[name] = new(Bound)
		}
		return t.named[name]
	}
	domain, rest, _ := strings.Cut(name, ".")
	verb, path, _ := strings.Cut(rest, ".")
	method := domain + "." + verb
	if t.methods[method] == nil {
		t.methods[method] = &judgment{params: new(Bound)}
	}
	b := t.methods[method].params
	for part := range strings.SplitSeq(path, ".") {
		if b.inner == nil {
			b.inner = make(map[string]*Bound)
		}
		if b.inner[part] == nil {
			own := *t.member(b, part)
			own.inner = nil
			b.inner[part] = &own
		}
		b = b.inner[part]
	}
	return b
}

// set writes a row into the bound of a param.
func (r *Row) set(b *Bound) {
	if r.Kind == "number" {
		b.Number, b.Min, b.Max = true, mustNumber(r.Min), mustNumber(r.Max)
		return
	}
	if r.Kind == "never" {
		b.Never = r.Max
		return
	}
	most := message
	if r.Max != "message" {
		most = int(mustNumber(r.Max))
	}
	switch r.Kind {
	case "items":
		b.Items, b.Least = most, int(mustNumber(r.Min))
	case "text":
		b.Text = most
	case "whole":
		b.Whole = most
	}
}

// addProduct gives the factors of a product their places.
func (t *Table) addProduct(r *Row) {
	p := &product{max: mustNumber(r.Max)}
	for _, word := range r.Names {
		name, instead, _ := strings.Cut(word, "|")
		b := t.boundOf(r.Method + "." + name)
		if b.factor == 0 {
			p.names, p.powers, p.instead = append(p.names, name), append(p.powers, 0), append(p.instead, 0)
			if b.factor = len(p.names); instead != "" {
				p.instead[b.factor-1] = mustNumber(instead)
			}
		}
		p.powers[b.factor-1]++
	}
	t.methods[r.Method].product = p
}

// mustNumber is strconv.ParseFloat for a table, which is part of the program.
func mustNumber(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("bounds: " + err.Error())
	}
	return n
}
