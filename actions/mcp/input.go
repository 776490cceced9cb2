package mcp

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/actions"
)

// inputTools are the tools that act on elements.
var inputTools = []tool{
	defineTool("browser_click", "Click", "Clicks an element.", changes|actTime, clickElement),
	defineTool("browser_hover", "Hover", "Moves the pointer over an element.", changes|actTime, hoverElement),
	defineTool("browser_drag", "Drag", "Drags one element to another.", changes|actTime, dragElement),
	defineTool("browser_type", "Type text", "Replaces the text of a field, or types into it key by key.", changes|loadTime, typeText),
	defineTool("browser_press_key", "Press a key", "Presses a key, in what has the focus.", changes|actTime, pressKey),
	defineTool("browser_select_option", "Select options", "Selects options of a list.", changes|actTime, selectOption),
	defineTool("browser_fill_form", "Fill a form", "Fills several fields.", changes, fillForm),
	defineTool("browser_file_upload", "Upload files", "Puts files into a file input.", changes|actTime, uploadFiles),
	defineTool("browser_drop", "Drop", "Drops files or data onto an element, as if dragged from outside of the page.", changes|actTime, dropFiles),
	defineTool("browser_evaluate", "Evaluate JavaScript", "Calls a function in the page and returns its value as JSON.", alters|readTime, evaluateFunction),
}

type clickArgs struct {
	onElement
	DoubleClick bool          `json:"doubleClick,omitempty" jsonschema:"Click twice"`
	Button      mouseButton   `json:"button,omitempty" jsonschema:"left when left out"`
	Modifiers   []modifierKey `json:"modifiers,omitempty" jsonschema:"Keys to hold"`
}

// clickElement is browser_click. The line of Playwright that it tells is only for the client
// to read: nothing runs it.
func clickElement(ctx context.Context, c *call, in clickArgs) error {
	o, method := actions.ClickOptions{Button: string(in.Button)}, "click"
	for _, key := range in.Modifiers {
		o.Modifiers = append(o.Modifiers, string(key))
	}
	if in.DoubleClick {
		o.Count, method = 2, "dblclick"
	}
	keys := ""
	if in.Modifiers != nil {
		keys = jsList(in.Modifiers)
	}
	c.ran("await page.%s.%s(%s);", c.element(in.Target), method, objectLiteral([2]string{"button", orEmpty(string(in.Button))}, [2]string{"modifiers", keys}))
	_, err := c.page.Click(ctx, in.locator(), o)
	return err
}

func hoverElement(ctx context.Context, c *call, in onElement) error {
	c.ran("await page.%s.hover();", c.element(in.Target))
	_, err := c.page.Hover(ctx, in.locator(), actions.HoverOptions{})
	return err
}

type dragArgs struct {
	onPage
	StartElement string `json:"startElement,omitempty" jsonschema:"In words, for people"`
	StartTarget  string `json:"startTarget" jsonschema:"What to drag: a ref or selector"`
	EndElement   string `json:"endElement,omitempty" jsonschema:"In words, for people"`
	EndTarget    string `json:"endTarget" jsonschema:"Where to: a ref or selector"`
}

func dragElement(ctx context.Context, c *call, in dragArgs) error {
	c.ran("await page.%s.dragTo(page.%s);", c.element(in.StartTarget), c.element(in.EndTarget))
	return c.page.DragTo(ctx, describedLocator(in.StartTarget, in.StartElement), describedLocator(in.EndTarget, in.EndElement))
}

type typeArgs struct {
	onElement
	Text   string `json:"text" jsonschema:"The text"`
	Submit bool   `json:"submit,omitempty" jsonschema:"Press Enter afterwards"`
	Slowly bool   `json:"slowly,omitempty" jsonschema:"Type key by key after what is there"`
}

// typeText is browser_type. As in Playwright MCP it replaces the text at once, unless
// slowly is set. Then the time is longer, since each key takes some.
func typeText(ctx context.Context, c *call, in typeArgs) error {
	l := in.locator()
	c.calm = !in.Slowly && !in.Submit
	var err error
	if in.Slowly {
		c.ran("await page.%s.pressSequentially(%s);", c.element(in.Target), jsLiteral(in.Text))
		err = c.page.Type(ctx, l, in.Text, actions.TypeOptions{})
	} else {
		c.ran("await page.%s.fill(%s);", c.element(in.Target), jsLiteral(in.Text))
		short, stop := context.WithTimeout(ctx, c.actTimeout())
		defer stop()
		err = c.page.Fill(short, l, in.Text, actions.FillOptions{})
	}
	if err == nil && in.Submit {
		c.ran("await page.%s.press('Enter');", c.element(in.Target))
		err = c.page.Press(ctx, l, "Enter", actions.PressOptions{})
	}
	return err
}

type keyArgs struct {
	onPage
	Key string `json:"key" jsonschema:"A key or a chord, such as ArrowLeft, a or Control+A"`
}

func pressKey(ctx context.Context, c *call, in keyArgs) error {
	c.ran("await page.keyboard.press(%s);", jsLiteral(in.Key))
	return c.page.Press(ctx, nil, in.Key, actions.PressOptions{})
}

type selectArgs struct {
	onElement
	Values []string `json:"values" jsonschema:"The values or labels to select, and no others"`
}

// selectOption is browser_select_option.
func selectOption(ctx context.Context, c *call, in selectArgs) error {
	values := jsList(in.Values)
	if len(in.Values) == 1 {
		values = jsLiteral(in.Values[0])
	}
	c.ran("await page.%s.selectOption(%s);", c.element(in.Target), values)
	_, err := c.page.SelectOption(ctx, in.locator(), in.Values)
	return err
}

type formArgs struct {
	onPage
	Fields []formField `json:"fields" jsonschema:"In the order in which to fill them"`
}

type formField struct {
	Name    string    `json:"name,omitempty" jsonschema:"In words, for people"`
	Element string    `json:"element,omitempty" jsonschema:"The same"`
	Target  string    `json:"target" jsonschema:"A ref, or a selector of it alone"`
	Type    fieldType `json:"type" jsonschema:"Its kind"`
	Value   string    `json:"value" jsonschema:"A text; true or false of a checkbox; the label of an option"`
}

// locator is the field that is meant.
func (f formField) locator() actions.Locator {
	return describedLocator(f.Target, cmp.Or(f.Element, f.Name))
}

// fillForm is browser_fill_form. Fields before one that cannot be filled keep their
// new values, and the answer says how many they are.
func fillForm(ctx context.Context, c *call, in formArgs) error {
	// No action here leads elsewhere as a click does, so that look need not wait half
	// a second.
	c.calm = true
	// A stale ref is refused before anything is filled.
	for _, f := range in.Fields {
		if _, is := f.locator().(actions.DescribedRef); !is {
			continue
		}
		if _, err := c.page.ElementState(ctx, f.locator(), []string{}); err != nil {
			return err
		}
	}
	for i, f := range in.Fields {
		if err := c.fill(ctx, f); err != nil {
			if i > 0 {
				c.say("Filled %d of %s", i, english.Plural(len(in.Fields), "field", ""))
			}
			return err
		}
	}
	return nil
}

// fill fills one field. Each has the time of one action for itself.
func (c *call) fill(ctx context.Context, f formField) error {
	ctx, cancel := context.WithTimeout(ctx, c.actTimeout())
	defer cancel()
	l, element := f.locator(), c.element(f.Target)
	switch f.Type {
	case "combobox":
		c.ran("await page.%s.selectOption(%s);", element, jsLiteral(f.Value))
		_, err := c.page.SelectOption(ctx, l, []string{f.Value})
		return err
	case "checkbox", "radio":
		if f.Value != "true" && f.Value != "false" {
			return invalidArgument(fmt.Sprintf("the value %q of a %s: it must be true or false", f.Value, f.Type))
		}
		c.ran("await page.%s.setChecked(%s);", element, f.Value)
		return c.page.SetChecked(ctx, l, f.Value == "true")
	}
	c.ran("await page.%s.fill(%s);", element, jsLiteral(f.Value))
	return c.page.Fill(ctx, l, f.Value, actions.FillOptions{})
}
