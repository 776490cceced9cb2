package bap

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/cdphub/cdphub/actions"
)

type domParams struct {
	Options struct {
		Root           selector
		Depth          int
		Attributes     *bool
		ComputedStyles bool
	}
}

func (p *domParams) check() *failure {
	if p.Options.Depth < 0 {
		return invalid("options.depth", "is 0 or more")
	}
	return p.Options.Root.maybe("options.root")
}

func dom(ctx context.Context, page *actions.Page, p domParams) (any, error) {
	o := p.Options
	if o.ComputedStyles {
		return nil, fail(codeActionFailed, "Computed styles are not part of observe/dom: ask observe/element for computedStyle").detail("unsupported", "computedStyles")
	}
	c, err := page.Content(ctx, "html", o.Root.Locator)
	if err != nil {
		return nil, err
	}
	text, err := page.Content(ctx, "text", o.Root.Locator)
	if err != nil {
		return nil, err
	}
	if o.Depth > 0 || o.Attributes != nil && !*o.Attributes {
		if c.Content, err = pruned(c.Content, o.Depth, o.Attributes == nil || *o.Attributes); err != nil {
			return nil, err
		}
	}
	return obj{"html": c.Content, "text": text.Content, "title": c.Title, "url": c.URL}, nil
}

// pruned is HTML without what lies deeper than so many levels; 0 is no limit.
func pruned(source string, depth int, attributes bool) (string, error) {
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
		prune(n, depth, attributes)
		if err := html.Render(&out, n); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// prune leaves so many levels of elements below a node.
func prune(n *html.Node, depth int, attributes bool) {
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
			prune(c, max(depth-1, 0), attributes)
		}
		c = next
	}
}
