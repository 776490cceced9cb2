package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

type message = harness.Message

// cdpClient is a raw CDP client of an endpoint with one page.
type cdpClient struct{ *harness.CDP }

// dialCDP connects to the endpoint as clients do that are given its port.
func dialCDP(t *testing.T, e *endpoint) *cdpClient {
	t.Helper()
	return &cdpClient{harness.DialCDP(t, "http://127.0.0.1:"+e.port)}
}

// page returns the id of the one page target.
func (c *cdpClient) page(t *testing.T) string {
	t.Helper()
	pages := c.Pages(t)
	if len(pages) != 1 {
		t.Fatalf("there are the pages %q, want one", pages)
	}
	return pages[0]
}

// hang sends an evaluation that ends only with its document and returns its id,
// once it is known to be under way.
func (c *cdpClient) hang(t *testing.T, e *endpoint, session string) int {
	t.Helper()
	id := c.Send(t, session, "Runtime.evaluate", map[string]any{
		"expression": "window.hanging = true; new Promise(() => {})", "awaitPromise": true,
	})
	e.site.expect(t, appPage, "window.hanging ?? false", "true")
	return id
}

// decode reads what an expression is.
func (c *cdpClient) decode(t *testing.T, session, expression string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(c.Evaluate(t, session, expression)), into); err != nil {
		t.Fatal(err)
	}
}

// point is a place in a page, in CSS pixels.
type point struct{ X, Y float64 }

// middleOf scrolls to an element and returns where its middle is.
func (c *cdpClient) middleOf(t *testing.T, session, id string) (at point) {
	t.Helper()
	element := fmt.Sprintf("document.getElementById(%q)", id)
	c.Evaluate(t, session, element+".scrollIntoView(), 0")
	c.decode(t, session, "(r => ({x: r.x + r.width / 2, y: r.y + r.height / 2}))("+element+".getBoundingClientRect())", &at)
	return at
}

// click presses and releases the left button.
func (c *cdpClient) click(t *testing.T, session string, at point) {
	t.Helper()
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.Call(t, session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1})
	}
}
