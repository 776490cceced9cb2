package actions

import (
	"context"
	"fmt"
)

// Media is how a page is shown, as CSS asks for it. Empty fields are the
// browser's own.
type Media struct {
	Type          string // "screen", "print"
	ColorScheme   string // "light", "dark"
	ReducedMotion string // "reduce", "no-preference"
	ForcedColors  string // "active", "none"
	Contrast      string // "more", "no-preference"
}

// EmulateMedia changes how CSS sees the page, and takes back what an earlier call has
// changed: Emulation.setEmulatedMedia replaces all features. A frame can change its
// colour scheme alone.
func (p *Page) EmulateMedia(ctx context.Context, m Media) error {
	features := []obj{
		{"name": "prefers-color-scheme", "value": m.ColorScheme},
		{"name": "prefers-reduced-motion", "value": m.ReducedMotion},
		{"name": "forced-colors", "value": m.ForcedColors},
		{"name": "prefers-contrast", "value": m.Contrast},
	}
	return p.runInput(ctx, func(ctx context.Context, s string) error {
		return p.callCommands(ctx, command{s, "Emulation.setEmulatedMedia", obj{"media": m.Type, "features": features}, nil})
	})
}

// dropped is called with an element and drops files and data there. It follows the
// drag and drop processing model of HTML: the drop comes only if the page has
// cancelled dragover, else dragleave ends the drag.
const dropped = `(target, files, data, x, y) => {
	const transfer = new DataTransfer();
	for (const f of files) {
		const bytes = Uint8Array.from(atob(f.data), (c) => c.charCodeAt(0));
		transfer.items.add(new File([bytes], f.name, { type: f.type }));
	}
	for (const [type, text] of Object.entries(data)) transfer.setData(type, text);
	const fire = (type, cancelable) => target.dispatchEvent(new DragEvent(type, {
		bubbles: true, composed: true, cancelable, dataTransfer: transfer, clientX: x, clientY: y,
	}));
	fire("dragenter", true);
	if (fire("dragover", true)) {
		fire("dragleave", false);
		return false;
	}
	fire("drop", true);
	return true;
}`

// Drop drops files, or data by MIME type, onto an element, as if they came from
// outside of the page. An element that takes none of it is an InvalidArgument.
func (p *Page) Drop(ctx context.Context, l Locator, files []File, data map[string]string) error {
	if err := checkLocator(l); err != nil {
		return err
	}
	list, err := fileContents(files)
	if err != nil {
		return err
	}
	if data == nil {
		data = map[string]string{}
	}
	return p.runInput(ctx, func(ctx context.Context, _ string) error {
		to, err := p.findPoint(ctx, l, obj{"disabled": true, "covered": true})
		if err != nil {
			return err
		}
		var out evaluated
		function := fmt.Sprintf("(e) => (%s)(e, %s, %s, %g, %g)", dropped, mustJSON(list), mustJSON(data), to.X, to.Y)
		if err := p.callFunction(ctx, function, l, &out); err != nil {
			return err
		}
		if text := out.exception(); text != "" {
			return newError(Internal, "the drop failed: %s", text)
		}
		var taken bool
		if out.decode(&taken); !taken {
			return invalidArgument("%s does not accept this drop: the page did not allow it", l)
		}
		return nil
	})
}
