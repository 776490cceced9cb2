// Package extract finds data in HTML without knowing the page: by what repeats
// in it, by tables, and by the names of the values that are looked for.
//
//	found, err := extract.HTML(page, extract.Schema{Type: "array", Items: &extract.Schema{
//		Type: "object", Properties: map[string]extract.Schema{"title": {Type: "string"}, "price": {Type: "number"}},
//	}}, extract.List)
package extract

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// Schema says what is looked for, in a small part of JSON Schema. Type is object,
// array, string, number or boolean. If a number is wanted and the text is none, the
// text itself is the value.
type Schema struct {
	Type        string
	Description string            // also tried as the label of the value
	Properties  map[string]Schema // of an object
	Items       *Schema           // of an array
}

// Mode says where data is looked for.
type Mode string

// The modes.
const (
	Single Mode = "single" // one object, or the text of the page
	List   Mode = "list"   // elements that repeat, such as cards and list items
	Table  Mode = "table"  // rows of tables, by the names of their columns
)

// Result is what was found.
type Result struct {
	// Data is a map[string]any, a []any, or a string: the text of the page.
	Data any
	// Confidence is between 0 and 1.
	Confidence float64
	// Sources has an element for each item of a list or table, in their order.
	Sources []Source
}

// Source is where an item was found.
type Source struct {
	Selector string // CSS
	Text     string // the first 100 bytes of its text
}

// The confidence in a result. The numbers are fixed: the package has no measure of
// how well a value fits.
const (
	confidenceFound = 0.8
	confidenceText  = 0.5
	confidenceEmpty = 0.3
)

// The limits of a result.
const (
	maxItems = 100
	maxText  = 5000 // bytes of the text of a page
	maxQuote = 100  // bytes of a source's text
)

// HTML finds data in a document or a part of one. The parser takes any text (HTML
// Standard, section 13.2.2: errors have defined results), so an error is only that of
// the reader.
func HTML(document string, s Schema, mode Mode) (Result, error) {
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return Result{}, fmt.Errorf("parse HTML: %w", err)
	}
	x := &extractor{root: root, schema: s}
	data, sure := x.extract(mode)
	return Result{Data: data, Confidence: sure, Sources: x.sources}, nil
}

// extractor finds data in one document.
type extractor struct {
	root    *html.Node
	schema  Schema
	sources []Source
}

// extract returns what a mode finds, and the confidence in it.
func (x *extractor) extract(mode Mode) (any, float64) {
	switch {
	case mode == Table:
		return confidenceOf(x.table())
	case mode == List || x.schema.Type == "array":
		return confidenceOf(x.list())
	case x.schema.Type == "object" && len(x.schema.Properties) > 0:
		found := x.properties(x.root, x.schema.Properties)
		if len(found) == 0 {
			return found, confidenceEmpty
		}
		return found, confidenceFound
	}
	return cutText(textOf(x.root), maxText), confidenceText
}

func confidenceOf(items []any) (any, float64) {
	if len(items) == 0 {
		return items, confidenceEmpty
	}
	return items, confidenceFound
}

// item is the schema of one item of a list: Items, or the schema itself where the
// client gave no array.
func (x *extractor) item() Schema {
	if x.schema.Items != nil {
		return *x.schema.Items
	}
	return Schema{Type: x.schema.Type, Properties: x.schema.Properties}
}

// list finds the elements that repeat, and the wanted values in each. An element
// without any is left out.
func (x *extractor) list() []any {
	items := []any{}
	want := x.item()
	for _, n := range repeatedElements(x.root) {
		if len(items) == maxItems {
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
		x.addSource(n)
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
				name := columnName(columns, i)
				i++
				if len(want.Properties) == 0 {
					row[name] = textOf(td)
					continue
				}
				// A column fits if its name contains that of the property.
				for key, s := range want.Properties {
					if strings.Contains(name, strings.ToLower(key)) {
						row[key] = s.value(textOf(td))
					}
				}
			}
			if len(row) > 0 && len(rows) < maxItems {
				rows = append(rows, row)
				x.addSource(tr)
			}
		}
	}
	return rows
}

// properties finds values by their names. A value that is not there is left out.
func (x *extractor) properties(n *html.Node, want map[string]Schema) map[string]any {
	found := map[string]any{}
	for key, s := range want {
		if text := propertyText(n, key, s.Description); text != "" {
			found[key] = s.value(text)
		}
	}
	return found
}

// addSource records where an item was found.
func (x *extractor) addSource(n *html.Node) {
	x.sources = append(x.sources, Source{Selector: pathTo(n), Text: cutText(textOf(n), maxQuote)})
}
