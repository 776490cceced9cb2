package bap

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/cdphub/cdphub/actions"
)

// extractParams are those of agent/extract. Nobody reads the instruction: data
// is found by what repeats, and by names.
type extractParams struct {
	Instruction       string
	Schema            *schema
	Mode              string
	Selector          selector
	IncludeSourceRefs bool
}

// schema is a small JSON Schema.
type schema struct {
	Type        string
	Description string
	Properties  map[string]schema
	Items       *schema
}

func (p *extractParams) check() *failure {
	if p.Schema == nil {
		return invalid("schema", "is missing")
	}
	return firstOf(
		need("instruction", p.Instruction), p.Schema.check("schema"), oneOf("mode", &p.Mode, "single", "list", "table"), p.Selector.maybe("selector"),
	)
}

func (s *schema) check(field string) *failure {
	switch s.Type {
	case "object", "array", "string", "number", "boolean":
		return nil
	}
	return invalid(field+".type", "%q is not known: use object, array, string, number, boolean", s.Type)
}

// extraction is what agent/extract has found.
type extraction struct {
	Success    bool     `json:"success"`
	Data       any      `json:"data"`
	Sources    []source `json:"sources,omitempty"`
	Confidence float64  `json:"confidence,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// source is where an item was found.
type source struct {
	Ref      string           `json:"ref"`
	Selector actions.Selector `json:"selector"`
	Text     string           `json:"text,omitempty"`
}

// How sure an extraction is.
const (
	sureFound = 0.8
	sureText  = 0.5
	sureEmpty = 0.3
)

func extract(ctx context.Context, page *actions.Page, p extractParams) (any, error) {
	c, err := page.Content(ctx, "html", p.Selector.Locator)
	if err != nil {
		if actions.KindOf(err) == actions.TargetClosed {
			return nil, err
		}
		return extraction{Error: err.Error()}, nil
	}
	root, err := html.Parse(strings.NewReader(c.Content))
	if err != nil {
		return extraction{Error: "the page cannot be read: " + err.Error()}, nil
	}
	x := &extractor{root: root, schema: *p.Schema}
	out := extraction{Success: true}
	out.Data, out.Confidence = x.extract(p.Mode)
	if p.IncludeSourceRefs {
		out.Sources = x.sources
	}
	return out, nil
}

// The most that is extracted.
const (
	mostItems = 100
	mostText  = 5000 // bytes of plain text
	mostQuote = 100  // bytes of a source's text
)

// extractor finds data in a page.
type extractor struct {
	root    *html.Node
	schema  schema
	sources []source
}

// extract returns what a mode finds, and how sure that is.
func (x *extractor) extract(mode string) (any, float64) {
	switch {
	case mode == "table":
		return sure(x.table())
	case mode == "list" || x.schema.Type == "array":
		return sure(x.list())
	case x.schema.Type == "object" && len(x.schema.Properties) > 0:
		found := x.properties(x.root, x.schema.Properties)
		if len(found) == 0 {
			return found, sureEmpty
		}
		return found, sureFound
	}
	return cut(textOf(x.root), mostText), sureText
}

func sure(items []any) (any, float64) {
	if len(items) == 0 {
		return items, sureEmpty
	}
	return items, sureFound
}

// item is the schema of what a list holds.
func (x *extractor) item() schema {
	if x.schema.Items != nil {
		return *x.schema.Items
	}
	return schema{Type: x.schema.Type, Properties: x.schema.Properties}
}

// list finds what repeats.
func (x *extractor) list() []any {
	items := []any{}
	want := x.item()
	for _, n := range repeated(x.root) {
		if len(items) == mostItems {
			break
		}
		var item any
		if len(want.Properties) > 0 {
			found := x.properties(n, want.Properties)
			if len(found) == 0 {
				continue
			}
			item = found
		} else if item = textOf(n); item == "" {
			continue
		}
		items = append(items, item)
		x.note(n)
	}
	return items
}

// table reads the rows of tables by the names of their columns.
func (x *extractor) table() []any {
	rows := []any{}
	want := x.item()
	for table := range elementsIn(x.root, byTag("table")) {
		var columns []string
		for th := range elementsIn(table, byTag("th")) {
			columns = append(columns, strings.ToLower(textOf(th)))
		}
		for tr := range elementsIn(table, byTag("tr")) {
			row := map[string]any{}
			i := 0
			for td := range elementsIn(tr, byTag("td")) {
				name := column(columns, i)
				i++
				if len(want.Properties) == 0 {
					row[name] = textOf(td)
					continue
				}
				for key, s := range want.Properties {
					if strings.Contains(name, strings.ToLower(key)) {
						row[key] = s.value(textOf(td))
					}
				}
			}
			if len(row) > 0 && len(rows) < mostItems {
				rows = append(rows, row)
				x.note(tr)
			}
		}
	}
	return rows
}

// properties finds values by their names; those that are not there are left
// out.
func (x *extractor) properties(n *html.Node, want map[string]schema) map[string]any {
	found := map[string]any{}
	for key, s := range want {
		if text := property(n, key, s.Description); text != "" {
			found[key] = s.value(text)
		}
	}
	return found
}

// note remembers where an item was found.
func (x *extractor) note(n *html.Node) {
	x.sources = append(x.sources, source{
		Ref: "@s" + strconv.Itoa(len(x.sources)+1), Selector: actions.Selector{Type: "css", Value: pathTo(n)}, Text: cut(textOf(n), mostQuote),
	})
}
