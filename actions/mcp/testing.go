package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// testingTools are the tools for tests. They fail if the page is not as they say.
var testingTools = []tool{
	defineTool("browser_generate_locator", "Write a locator", "Writes a locator of Playwright for an element.", reading, generateLocator),
	defineTool("browser_verify_element_visible", "Verify an element", "Fails unless there is a visible element with a role and a name.", reading, verifyElement),
	defineTool("browser_verify_text_visible", "Verify a text", "Fails unless a text is visible.", reading, verifyText),
	defineTool("browser_verify_list_visible", "Verify a list", "Fails unless an element shows all of these items.", reading|readTime, verifyList),
	defineTool("browser_verify_value", "Verify a value", "Fails unless a field has a value.", reading|readTime, verifyValue),
}

// expecting is how long the page may take to become as a tool says: the default of
// Playwright's expect.
const expecting = 5 * time.Second

// unmetError is the error that the page is not as a tool says.
func unmetError(format string, args ...any) error {
	return &actions.Error{Kind: actions.ElementNotFound, Message: "not verified: " + fmt.Sprintf(format, args...)}
}

func generateLocator(ctx context.Context, c *call, in onElement) error {
	ctx, cancel := context.WithTimeout(ctx, expecting)
	defer cancel()
	if _, err := c.page.WaitForSelector(ctx, in.locator(), actions.WaitOptions{State: actions.Attached}); err != nil {
		return err
	}
	// element needs a snapshot for the role and the name.
	if len(c.shownOf(c.page)) == 0 {
		s, err := c.page.SnapshotYAML(ctx, actions.YAMLOptions{})
		if err != nil {
			return err
		}
		c.show(s.Text, true)
		c.snapshot = ""
	}
	code := c.element(in.Target)
	if strings.Contains(code, "aria-ref=") {
		return invalidArgument("target: other elements have the same role and name, or the same text: use a CSS selector")
	}
	c.say("%s", code)
	return nil
}

type verifyElementArgs struct {
	onPage
	Role string `json:"role" jsonschema:"The role, as the page snapshot has it"`
	Name string `json:"accessibleName" jsonschema:"The name, as the page snapshot has it in quotes"`
}

func verifyElement(ctx context.Context, c *call, in verifyElementArgs) error {
	l := actions.Role{Role: in.Role, Name: in.Name}
	if err := c.expect(ctx, l, fmt.Sprintf("no element with the role %q and the name %q is visible", in.Role, in.Name)); err != nil {
		return err
	}
	c.ran("await expect(page.getByRole(%s, { name: %s })).toBeVisible();", jsLiteral(in.Role), jsLiteral(in.Name))
	return nil
}

type verifyTextArgs struct {
	onPage
	Text string `json:"text" jsonschema:"The text, as the page snapshot has it"`
}

func verifyText(ctx context.Context, c *call, in verifyTextArgs) error {
	if err := c.expect(ctx, actions.Text{Text: in.Text}, fmt.Sprintf("the text %q is not visible", in.Text)); err != nil {
		return err
	}
	c.ran("await expect(page.getByText(%s)).toBeVisible();", jsLiteral(in.Text))
	return nil
}

// expect waits until the first element that the locator matches is visible. otherwise
// is the message if it does not become so.
func (c *call) expect(ctx context.Context, l actions.Locator, otherwise string) error {
	ctx, cancel := context.WithTimeout(ctx, expecting)
	defer cancel()
	_, err := c.page.WaitForSelector(ctx, actions.First{Locator: l}, actions.WaitOptions{})
	switch actions.KindOf(err) {
	case actions.ElementNotFound, actions.NotVisible, actions.Timeout:
		return unmetError("%s", otherwise)
	}
	return err
}

type verifyListArgs struct {
	onPage
	Element string   `json:"element" jsonschema:"What the list is, in words for people"`
	Target  string   `json:"target" jsonschema:"The list: a ref of the page snapshot, or a selector that matches it alone"`
	Items   []string `json:"items" jsonschema:"The texts that it must show"`
}

func verifyList(ctx context.Context, c *call, in verifyListArgs) error {
	l := describedLocator(in.Target, in.Element)
	if _, err := c.page.WaitForSelector(ctx, l, actions.WaitOptions{}); err != nil {
		return err
	}
	s, err := c.page.SnapshotYAML(ctx, actions.YAMLOptions{Root: l})
	if err != nil {
		return err
	}
	shown := unquoteName(s.Text)
	for _, item := range in.Items {
		if !strings.Contains(shown, item) {
			return unmetError("%s does not show %q", in.Element, item)
		}
	}
	for _, item := range in.Items {
		c.ran("await expect(page.%s).toContainText(%s);", c.element(in.Target), jsLiteral(item))
	}
	return nil
}

type verifyValueArgs struct {
	onPage
	Type    fieldType `json:"type" jsonschema:"Its kind"`
	Element string    `json:"element" jsonschema:"In words, for people"`
	Target  string    `json:"target" jsonschema:"A ref, or a selector of it alone"`
	Value   string    `json:"value" jsonschema:"The value; true or false of a checkbox or radio button"`
}

func verifyValue(ctx context.Context, c *call, in verifyValueArgs) error {
	property := "value"
	if in.Type == "checkbox" || in.Type == "radio" {
		property = "checked"
	}
	state, err := c.page.ElementState(ctx, describedLocator(in.Target, in.Element), []string{property})
	if err != nil {
		return err
	}
	if state["found"] == false {
		return unmetError("element %s does not exist", in.Target)
	}
	if got := fmt.Sprint(state[property]); got != in.Value {
		return unmetError("%s has the value %q, not %q", in.Element, got, in.Value)
	}
	switch {
	case property == "value":
		c.ran("await expect(page.%s).toHaveValue(%s);", c.element(in.Target), jsLiteral(in.Value))
	case in.Value == "true":
		c.ran("await expect(page.%s).toBeChecked();", c.element(in.Target))
	default:
		c.ran("await expect(page.%s).not.toBeChecked();", c.element(in.Target))
	}
	return nil
}
