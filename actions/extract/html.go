package extract

import (
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// cutText is a text of at most so many bytes, without a character that is cut in two.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// elementsIn are the elements below a node that fit, in document order, without the
// node itself.
func elementsIn(root *html.Node, fits func(*html.Node) bool) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && fits(n) && !yield(n) {
				return
			}
		}
	}
}

func firstNode(root *html.Node, fits func(*html.Node) bool) *html.Node {
	for n := range elementsIn(root, fits) {
		return n
	}
	return nil
}

func byTag(tags ...string) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(tags, n.Data) }
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// classHas fits elements that have one of the words in their class attribute, such as
// "product-card" for "card".
func classHas(words ...string) func(*html.Node) bool {
	return func(n *html.Node) bool {
		class := strings.ToLower(attributeOf(n, "class"))
		return class != "" && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(class, w) })
	}
}

// textOf is the text inside a node, with single spaces, without scripts and styles.
func textOf(n *html.Node) string {
	var words []string
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			words = append(words, strings.Fields(n.Data)...)
		case n.Type == html.ElementNode && slices.Contains([]string{"script", "style", "noscript", "template", "head"}, n.Data):
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(n)
	return strings.Join(words, " ")
}

// containers are the elements that repeat on pages, the most reliable sign first.
var containers = []func(*html.Node) bool{
	byTag("article"),
	func(n *html.Node) bool { return attributeOf(n, "role") == "listitem" },
	classHas("product"), classHas("card"), classHas("item", "listing", "result", "entry", "post"),
	func(n *html.Node) bool { return n.Data == "tr" && firstNode(n, byTag("td")) != nil },
	byTag("li"),
}

// repeatedElements are the elements of the first kind of container of which there is more
// than one. Elements inside others are left out.
func repeatedElements(root *html.Node) []*html.Node {
	for _, fits := range containers {
		var list []*html.Node
		for n := range elementsIn(root, fits) {
			if len(list) == 0 || !isWithin(n, list[len(list)-1]) {
				list = append(list, n)
			}
		}
		if len(list) > 1 {
			return list
		}
	}
	return nil
}

func isWithin(n, outer *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// columnName is the name of the nth column, from 0; "col0" and so on where the table has
// no heading.
func columnName(names []string, n int) string {
	if n < len(names) && names[n] != "" {
		return names[n]
	}
	return "col" + strconv.Itoa(n)
}

var price = regexp.MustCompile(`[$€£¥]\s*[\d,.]+|[\d,.]+\s*[$€£¥]`)

// propertyText is the text of the element that has a name: by its class, by a label, by
// the description as a label, or by what the name usually means.
func propertyText(root *html.Node, name, description string) string {
	lower := strings.ToLower(name)
	if n := firstNode(root, classHas(lower)); n != nil && textOf(n) != "" {
		return textOf(n)
	}
	if text := labelledText(root, lower); text != "" {
		return text
	}
	if description != "" {
		if text := labelledText(root, strings.ToLower(description)); text != "" {
			return text
		}
	}
	return usualValue(root, lower)
}

// usualValue finds values of names that are common, such as the first heading for "title".
func usualValue(root *html.Node, name string) string {
	text := func(tags ...string) string {
		if n := firstNode(root, byTag(tags...)); n != nil {
			return textOf(n)
		}
		return ""
	}
	from := func(tag, attr string) string {
		if n := firstNode(root, byTag(tag)); n != nil {
			return attributeOf(n, attr)
		}
		return ""
	}
	switch name {
	case "title", "name", "heading":
		return text("h1", "h2", "h3", "h4", "h5", "h6")
	case "price", "cost", "amount":
		return price.FindString(textOf(root))
	case "url", "link", "href":
		return from("a", "href")
	case "image", "img", "thumbnail":
		return from("img", "src")
	}
	return ""
}

// labelledText is the text after a label, a heading of a table, or a term of a list (dt)
// that begins with a name.
func labelledText(root *html.Node, name string) string {
	for n := range elementsIn(root, byTag("label", "th", "dt")) {
		own := textOf(n)
		if !strings.HasPrefix(strings.ToLower(own), name) {
			continue
		}
		for next := n.NextSibling; next != nil; next = next.NextSibling {
			if text := textOf(next); text != "" {
				return text
			}
		}
		if rest := strings.TrimLeft(own[len(name):], " :"); rest != "" {
			return rest
		}
	}
	return ""
}

var notNumeric = regexp.MustCompile(`[^0-9.-]`)

// value is a text in the type of its schema, or the text itself if it has no such
// value.
func (s Schema) value(text string) any {
	switch s.Type {
	case "number":
		if n, err := strconv.ParseFloat(notNumeric.ReplaceAllString(text, ""), 64); err == nil {
			return n
		}
	case "boolean":
		return slices.Contains([]string{"true", "yes", "1", "in stock", "available"}, strings.ToLower(text))
	}
	return text
}

// pathTo is a CSS selector for a node: the path from the root, with positions where
// siblings have the same tag.
func pathTo(n *html.Node) string {
	var steps []string
	for ; n != nil && n.Type == html.ElementNode && n.Data != "html"; n = n.Parent {
		at, twins := 0, 0
		for c := range n.Parent.ChildNodes() {
			if c.Type == html.ElementNode && c.Data == n.Data {
				twins++
				if c == n {
					at = twins
				}
			}
		}
		step := n.Data
		if twins > 1 {
			step += ":nth-of-type(" + strconv.Itoa(at) + ")"
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, " > ")
}
