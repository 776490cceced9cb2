package mcp

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
)

// trait is a set of properties of a tool.
type trait uint16

const (
	shows    trait = 1 << iota // the page is shown afterwards
	alters                     // it may change something
	modal                      // it can be used while a dialog is open
	pageless                   // it needs no page
	reading                    // a token of scope readonly is enough
	full                       // a token of scope full is needed
	actTime                    // it may take as long as an action on an element
	loadTime                   // it may take as long as to load a page
	readTime                   // it may take as long as to read a page
	mayShow                    // the page is shown by some calls, which takes the argument snapshot as shows does

	changes = shows | alters // it may change the page
)

// tool is a row of the table of tools.
type tool struct {
	name, title, about string
	group              string // the capability that it belongs to; "" for the tools that are always there
	lacks              string // why there is no such tool here; "" when there is
	traits             trait
	schema             *jsonschema.Schema // of its arguments
	add                func(*sdk.Server, *session)
}

func (t *tool) has(x trait) bool { return t.traits&x != 0 }

// timeout is how long the work of a tool may take, without the look at the page that may
// follow.
func (s *session) timeout(t *tool) time.Duration {
	switch {
	case t.has(actTime):
		return s.actTimeout()
	case t.has(loadTime):
		return loadTimeout
	case t.has(readTime):
		return readTimeout
	}
	return actions.MaxTimeout
}

// params are the arguments of a tool. Each has a pageId.
type params interface{ pageID() string }

// onPage is what the arguments of every tool have.
type onPage struct {
	PageID string `json:"pageId,omitempty" jsonschema:"See browser_tabs"`
}

func (o onPage) pageID() string { return o.PageID }

// none are the arguments of a tool that takes no others.
type none struct{ onPage }

// defineTool makes a row of the table. The schema of the arguments is made from the type
// In.
func defineTool[In params](name, title, about string, traits trait, do func(context.Context, *call, In) error) tool {
	schema := schemaFor[In]()
	if traits&(shows|mayShow) != 0 {
		schema.Properties["snapshot"] = snapshotSchema
	}
	t := tool{name: name, title: title, about: about, traits: traits, schema: schema}
	t.add = func(server *sdk.Server, s *session) {
		listed := &sdk.Tool{Name: name, Title: title, Description: about, InputSchema: schema}
		// Clients use the hints to decide what they ask their user about. Without them a tool changes
		// something, and may destroy it (MCP specification, "Tool annotations").
		if !t.has(alters) {
			listed.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true}
		}
		sdk.AddTool(server, listed, func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
			if err := actions.Exceeds(r.Params.Arguments); err != nil {
				return new(reply).result(err), nil, nil
			}
			mode, err := modeOf(r.Params.Arguments)
			if err != nil {
				return new(reply).result(err), nil, nil
			}
			return s.use(ctx, &t, in.pageID(), mode, func(ctx context.Context, c *call) error {
				ctx, cancel := context.WithTimeout(actions.WithElementTime(ctx, s.acts), s.timeout(&t))
				defer cancel()
				return do(ctx, c, in)
			}), nil, nil
		})
	}
	return t
}

// snapshotSchema is the argument with which a call says how much of the page its answer shows.
var snapshotSchema = &jsonschema.Schema{Type: "string", Description: "none, delta, full, or tokens"}

// modeOf reads that argument.
func modeOf(arguments json.RawMessage) (actions.SnapshotMode, error) {
	var in struct {
		Snapshot actions.SnapshotMode `json:"snapshot"`
	}
	if len(arguments) == 0 {
		return in.Snapshot, nil
	}
	err := wire.Decode(arguments, &in)
	return in.Snapshot, err
}

// missingTool makes a row for a tool of Playwright MCP that is not here, with the reason
// and what to do in its place. A call of it gets that text.
func missingTool(name, why string) tool { return tool{name: name, lacks: why} }

// inGroup puts tools into a capability.
func inGroup(group string, list []tool) []tool {
	for i := range list {
		list[i].group = group
	}
	return list
}

// element names an element. Target counts; Element is for people who confirm calls, and
// must not be about what the element was before (actions.DescribedRef).
type element struct {
	Element string `json:"element,omitempty" jsonschema:"In words, for people"`
	Target  string `json:"target" jsonschema:"A ref, or a selector of it alone"`
}

// onElement are the arguments of tools that act on one element.
type onElement struct {
	onPage
	element
}

// maybeElement are the arguments of tools that are about the page, or about one
// element.
type maybeElement struct {
	onPage
	Element string `json:"element,omitempty" jsonschema:"In words, for people"`
	Target  string `json:"target,omitempty" jsonschema:"Only this element: a ref or selector"`
}

// locator is the element that is meant; nil for none.
func (m maybeElement) locator() actions.Locator {
	if m.Target == "" {
		return nil
	}
	return describedLocator(m.Target, m.Element)
}

// locator is the element that is meant.
func (e element) locator() actions.Locator { return describedLocator(e.Target, e.Element) }

// describedLocator reads a target that words come with.
func describedLocator(target, words string) actions.Locator {
	l := locatorOf(target)
	if ref, is := l.(actions.SnapshotRef); is {
		return actions.DescribedRef{SnapshotRef: ref, Words: words}
	}
	return l
}

var ref = regexp.MustCompile(`^(f\d+)*e\d+$`)

// locatorOf reads a target: a ref such as e12, a CSS selector, xpath=//p or text=Save.
// With quotes, text="Save" means the whole text by case, as in Playwright.
func locatorOf(target string) actions.Locator {
	if ref.MatchString(target) {
		return actions.SnapshotRef{Scheme: actions.YAML, ID: target}
	}
	engine, rest, named := strings.Cut(target, "=")
	switch {
	case named && engine == "xpath":
		return actions.XPath(rest)
	case named && engine == "text":
		return actions.Text{Text: strings.Trim(rest, `"`), Exact: strings.HasPrefix(rest, `"`)}
	case named && engine == "css":
		return actions.CSS(rest)
	case strings.HasPrefix(target, "//"):
		return actions.XPath(target)
	}
	return actions.CSS(target)
}

// invalidArgument says what is wrong with an argument.
func invalidArgument(text string) error {
	return &actions.Error{Kind: actions.InvalidArgument, Message: "bad request: " + text}
}

// Missing lists the tools of Playwright MCP that are not here, with the reasons:
// docs/actions.md has them from here.
func Missing() map[string]string {
	list := map[string]string{}
	for _, t := range tools {
		if t.lacks != "" {
			list[t.name] = t.lacks
		}
	}
	return list
}

// Group is the capability that a tool belongs to; "" for one that is always there.
func Group(name string) string {
	if i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name }); i >= 0 {
		return tools[i].group
	}
	return ""
}

// tools is every tool, by what it is for.
var tools = slices.Concat(
	pageTools, inputTools, lookTools, networkTools, tabTools, handoffTools, missingTools,
	inGroup("config", configTools), inGroup("testing", testingTools), inGroup("vision", visionTools), inGroup("storage", storageTools),
	inGroup("network", routeTools), inGroup("pdf", pdfTools), inGroup("devtools", devtoolsTools),
)
