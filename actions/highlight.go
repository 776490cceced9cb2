package actions

import (
	"context"
	"fmt"
)

// mark is called with an element and CSS. It lays a mark over the element, on top of
// everything else (2147483647 is the greatest z-index that browsers take). The mark
// stays where the element was, and goes with the document. Screen readers do not see
// it.
const mark = `(target, style) => {
	const box = target.getBoundingClientRect();
	const mark = document.createElement("cdphub-highlight");
	mark.setAttribute("aria-hidden", "true");
	mark.style.cssText = "all:initial;position:absolute;box-sizing:border-box;pointer-events:none;z-index:2147483647;" +
		"outline:2px solid #e0218a;background:#e0218a22;" + style;
	for (const [side, length] of [["left", box.x + scrollX], ["top", box.y + scrollY], ["width", box.width], ["height", box.height]]) {
		mark.style.setProperty(side, length + "px", "important");
	}
	(globalThis.cdphubHighlights ??= new Map()).get(target)?.remove();
	globalThis.cdphubHighlights.set(target, mark);
	document.documentElement.append(mark);
}`

// unmark is called with an element, or nothing, and takes away its mark, or all.
const unmark = `(target) => {
	const marks = globalThis.cdphubHighlights ?? new Map();
	let n = 0;
	for (const [of, mark] of [...marks]) {
		if (target && of !== target) continue;
		mark.remove();
		marks.delete(of);
		n++;
	}
	return n;
}`

// Highlight marks an element for people who look at the page, with CSS besides
// the mark's own, until HideHighlights.
func (p *Page) Highlight(ctx context.Context, l Locator, style string) error {
	if err := checkLocator(l); err != nil {
		return err
	}
	return p.runInput(ctx, func(ctx context.Context, _ string) error {
		var out evaluated
		if err := p.callFunction(ctx, fmt.Sprintf("(e) => (%s)(e, %s)", mark, mustJSON(style)), l, &out); err != nil {
			return err
		}
		if text := out.exception(); text != "" {
			return newError(Internal, "the element cannot be marked: %s", text)
		}
		return nil
	})
}

// HideHighlights takes away the mark of an element, or all of the document where
// l is nil, and says how many those were.
func (p *Page) HideHighlights(ctx context.Context, l Locator) (n int, err error) {
	err = p.runInput(ctx, func(ctx context.Context, _ string) error {
		var out evaluated
		if err := p.callFunction(ctx, unmark, l, &out); err != nil {
			return err
		}
		out.decode(&n)
		return nil
	})
	return n, err
}
