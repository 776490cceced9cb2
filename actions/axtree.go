package actions

import (
	"context"
	"encoding/json"
)

// AccessibilityTree is the raw tree of the page, the result of CDP's
// Accessibility.getFullAXTree: {"nodes":[…]}.
func (p *Page) AccessibilityTree(ctx context.Context) (nodes json.RawMessage, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var out struct{ Nodes json.RawMessage }
	err = p.call(ctx, "Accessibility.getFullAXTree", nil, &out)
	return out.Nodes, err
}
