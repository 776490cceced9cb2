package bap

import (
	"context"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/extract"
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
		return invalidParam("options.depth", "must be 0 or more")
	}
	return p.Options.Root.maybe("options.root")
}

// observeDOM is observe/dom. What is deeper than depth, and attributes if they are not
// wanted, are cut from the HTML here and not in the page.
func observeDOM(ctx context.Context, page *actions.Page, p domParams) (any, error) {
	o := p.Options
	if o.ComputedStyles {
		return nil, newFailure(codeActionFailed, "Computed styles are not part of observe/dom: use observe/element with computedStyle").detail("unsupported", "computedStyles")
	}
	c, err := page.Content(ctx, "html", o.Root.Locator)
	if err != nil {
		return nil, err
	}
	text, err := page.Content(ctx, "text", o.Root.Locator)
	if err != nil {
		return nil, err
	}
	// A depth of 0 is no limit.
	if o.Depth > 0 || o.Attributes != nil && !*o.Attributes {
		if c.Content, err = extract.Prune(c.Content, o.Depth, o.Attributes == nil || *o.Attributes); err != nil {
			return nil, err
		}
	}
	return obj{"html": c.Content, "text": text.Content, "title": c.Title, "url": c.URL}, nil
}
