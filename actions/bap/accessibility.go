package bap

import (
	"context"

	"github.com/cdphub/cdphub/actions"
)

// axOptions are the options of observe/accessibility. InterestingOnly is true when
// nil.
type axOptions struct {
	Root            selector
	MaxDepth        int
	IncludeHidden   bool
	InterestingOnly *bool
}

type accessibilityParams struct{ Options axOptions }

func (p *accessibilityParams) check() *failure {
	if p.Options.MaxDepth < 0 {
		return invalidParam("options.maxDepth", "must be 0 or more")
	}
	return p.Options.Root.maybe("options.root")
}

func observeAccessibility(ctx context.Context, page *actions.Page, p accessibilityParams) (any, error) {
	tree, err := axTree(ctx, page, p.Options)
	if err != nil {
		return nil, err
	}
	return obj{"tree": tree}, nil
}

// axTree reads the accessibility tree of a page.
func axTree(ctx context.Context, page *actions.Page, o axOptions) (actions.AXNode, error) {
	return page.AXTree(ctx, actions.AXOptions{
		Root: o.Root.Locator, MaxDepth: o.MaxDepth, IncludeHidden: o.IncludeHidden, All: o.InterestingOnly != nil && !*o.InterestingOnly,
	})
}
