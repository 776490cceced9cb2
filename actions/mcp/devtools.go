package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/actions"
)

// configTools, pdfTools and devtoolsTools are groups with few tools.
var (
	configTools = []tool{
		defineTool("browser_get_config", "Show the configuration", "Shows what this server has been set to.", reading|pageless|modal, getConfig),
	}
	pdfTools = []tool{
		defineTool("browser_pdf_save", "Save as PDF", "Prints the page to a PDF file.", readTime, savePDF),
	}
	devtoolsTools = []tool{
		defineTool("browser_highlight", "Highlight an element", "Marks an element on the page, for people who look at it.", alters|actTime, highlightElement),
		defineTool("browser_hide_highlight", "Remove a highlight", "Takes away the mark of an element, or all marks.", alters|actTime, hideHighlight),
		missingTool("browser_annotate", "Playwright's dashboard, in which people draw, is not here; browser_take_screenshot shows the page"),
		missingTool("browser_resume", "no program is paused here; it belongs to Playwright's test runner"),
		missingTool("browser_start_recording", "the recorder is Playwright's own; connect it to the hub by CDP"),
		missingTool("browser_stop_recording", "the recorder is Playwright's own; connect it to the hub by CDP"),
		missingTool("browser_start_tracing", "traces of Playwright's format are made by Playwright; connect it to the hub by CDP"),
		missingTool("browser_stop_tracing", "traces of Playwright's format are made by Playwright; connect it to the hub by CDP"),
		missingTool("browser_start_video", noVideo), missingTool("browser_stop_video", noVideo), missingTool("browser_video_chapter", noVideo),
		missingTool("browser_video_show_actions", noVideo), missingTool("browser_video_hide_actions", noVideo),
	}
)

// missingTools are tools that Playwright MCP always has and that are missing here,
// with the reasons.
var missingTools = []tool{
	missingTool("browser_run_code_unsafe", "it runs a program with Playwright inside of the server, and no Playwright is in here; "+
		"browser_evaluate runs a script in the page, and Playwright can connect to the hub by CDP"),
}

const noVideo = "the hub has no encoder for video; browser_take_screenshot takes pictures"

// getConfig is browser_get_config. Times are in ms.
func getConfig(_ context.Context, c *call, _ none) error {
	config := map[string]any{
		"server": "cdphub", "version": c.caller.Version, "capabilities": append([]string{"core"}, c.groups...),
		"timeouts": map[string]int64{"action": c.acts.Milliseconds(), "navigation": loadTimeout.Milliseconds(), "expect": expecting.Milliseconds()},
	}
	if c.caller.Scope != "" {
		config["scope"] = c.caller.Scope
	}
	if c.files.Write != "" {
		config["outputDir"] = c.files.Write
	}
	text, err := json.MarshalIndent(config, "", "  ")
	c.say("%s", text)
	return err
}

// savePDF is browser_pdf_save.
func savePDF(ctx context.Context, c *call, in saveArgs) error {
	data, err := c.page.PDF(ctx, actions.PDFOptions{Format: "Letter"}) // Playwright's default
	if err != nil {
		return err
	}
	name := fileNameOf(in.Filename, "page", "pdf")
	if err := c.save("Page as PDF", name, "application/pdf", data); err != nil {
		return err
	}
	c.ran("await page.pdf({ path: %s });", jsLiteral(name))
	return nil
}

type highlightArgs struct {
	onElement
	Style string `json:"style,omitempty" jsonschema:"More CSS for the mark, such as outline: 2px dashed red"`
}

// highlightElement is browser_highlight.
func highlightElement(ctx context.Context, c *call, in highlightArgs) error {
	// Braces would end the declaration list, and angle brackets are HTML.
	if strings.ContainsAny(in.Style, "{}<>") {
		return invalidArgument("style: it is a list of declarations, such as outline: 2px dashed red")
	}
	c.ran("await page.%s.highlight();", c.element(in.Target))
	return c.page.Highlight(ctx, in.locator(), in.Style)
}

// hideHighlight is browser_hide_highlight. Without an element it removes all
// highlights.
func hideHighlight(ctx context.Context, c *call, in maybeElement) error {
	n, err := c.page.HideHighlights(ctx, in.locator())
	if err != nil {
		return err
	}
	c.say("Removed %s", english.Plural(n, "highlight", ""))
	return nil
}
