package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Prune returns HTML, a document or a part of one, without the elements that are
// deeper than depth levels; 0 means no limit. Without attributes, all attributes are
// removed, too.
func Prune(source string, depth int, attributes bool) (string, error) {
	whole := strings.HasPrefix(source, "<!DOCTYPE") || strings.HasPrefix(source, "<html")
	var roots []*html.Node
	if whole {
		document, err := html.Parse(strings.NewReader(source))
		if err != nil {
			return "", err
		}
		for n := range document.ChildNodes() {
			roots = append(roots, n)
		}
	} else {
		list, err := html.ParseFragment(strings.NewReader(source), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
		if err != nil {
			return "", err
		}
		roots = list
	}
	var out strings.Builder
	for _, n := range roots {
		pruneBelow(n, depth, attributes)
		if err := html.Render(&out, n); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// pruneBelow leaves so many levels of elements below a node. Texts stay.
func pruneBelow(n *html.Node, depth int, attributes bool) {
	if !attributes {
		n.Attr = nil
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type != html.ElementNode:
		case depth == 1:
			n.RemoveChild(c)
		default:
			pruneBelow(c, max(depth-1, 0), attributes)
		}
		c = next
	}
}
