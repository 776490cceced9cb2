package mcp

import (
	"context"
	"reflect"
)

// Media features that take one of some values, or null for the browser's own.
type (
	colorScheme   string
	reducedMotion string
	forcedColors  string
	contrast      string
	mediaType     string
)

// mediaValues are their values.
var mediaValues = map[reflect.Type][]any{
	reflect.TypeFor[optional[colorScheme]]():   {"light", "dark"},
	reflect.TypeFor[optional[reducedMotion]](): {"reduce", "no-preference"},
	reflect.TypeFor[optional[forcedColors]]():  {"active", "none"},
	reflect.TypeFor[optional[contrast]]():      {"more", "no-preference"},
	reflect.TypeFor[optional[mediaType]]():     {"screen", "print"},
}

type mediaArgs struct {
	onPage
	ColorScheme   optional[colorScheme]   `json:"colorScheme,omitzero" jsonschema:"null is the browser's own"`
	ReducedMotion optional[reducedMotion] `json:"reducedMotion,omitzero" jsonschema:"null is the browser's own"`
	ForcedColors  optional[forcedColors]  `json:"forcedColors,omitzero" jsonschema:"null is the browser's own"`
	Contrast      optional[contrast]      `json:"contrast,omitzero" jsonschema:"null is the browser's own"`
	Media         optional[mediaType]     `json:"media,omitzero" jsonschema:"null is the browser's own"`
}

// emulateMedia changes the features that are given, and keeps those that this client
// has changed before: CDP sets all features together (Emulation.setEmulatedMedia).
func emulateMedia(ctx context.Context, c *call, in mediaArgs) error {
	c.mu.Lock()
	media := c.stateOf(c.page.ID).media
	c.mu.Unlock()
	var code [][2]string
	changeFeature(&code, "colorScheme", in.ColorScheme, &media.ColorScheme)
	changeFeature(&code, "reducedMotion", in.ReducedMotion, &media.ReducedMotion)
	changeFeature(&code, "forcedColors", in.ForcedColors, &media.ForcedColors)
	changeFeature(&code, "contrast", in.Contrast, &media.Contrast)
	changeFeature(&code, "media", in.Media, &media.Type)
	if code == nil {
		return invalidArgument("one of colorScheme, reducedMotion, forcedColors, contrast and media must be given")
	}
	c.ran("await page.emulateMedia(%s);", objectLiteral(code...))
	if err := c.page.EmulateMedia(ctx, media); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stateOf(c.page.ID).media = media
	return nil
}

// changeFeature sets a feature to a value that is given, and adds it to the code.
func changeFeature[T ~string](code *[][2]string, name string, to optional[T], feature *string) {
	if !to.Given {
		return
	}
	*feature = string(to.Value)
	value := "null"
	if to.Value != "" {
		value = jsLiteral(string(to.Value))
	}
	*code = append(*code, [2]string{name, value})
}
