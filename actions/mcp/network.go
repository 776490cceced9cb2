package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// networkTools are the tools that show requests.
var networkTools = []tool{
	defineTool("browser_network_requests", "List requests", "Lists the requests of the page since it was loaded, each with a number.", modal|reading|readTime, networkRequests),
	defineTool("browser_network_request", "Show a request", "Shows a request with its headers, or one part of it. Bodies need scope full.", modal|reading|readTime, networkRequest),
}

type requestsArgs struct {
	onPage
	filename
	Static bool   `json:"static,omitempty" jsonschema:"Pictures, fonts, styles and scripts, too"`
	Filter string `json:"filter,omitempty" jsonschema:"A regular expression (RE2) that URLs must match"`
}

// static are the types of requests that are rarely of interest.
var static = []string{"document", "image", "font", "stylesheet", "script", "media", "manifest", "texttrack"}

// requests are the requests since the page's document was asked for; that request is
// the first.
func (c *call) requests(ctx context.Context) ([]actions.Request, error) {
	list, err := c.page.Requests(ctx, 0)
	if err != nil {
		return nil, err
	}
	for i, r := range slices.Backward(list) {
		if r.Document {
			return list[i:], nil
		}
	}
	return list, nil
}

// networkRequests is browser_network_requests. The numbers count all requests,
// whether they are listed or not, so that browser_network_request finds them with any
// filter.
func networkRequests(ctx context.Context, c *call, in requestsArgs) error {
	filter, err := actions.CompilePattern(in.Filter)
	if err != nil {
		return err
	}
	list, err := c.requests(ctx)
	if err != nil {
		return err
	}
	hidden := 0
	for i, r := range list {
		wanted, err := filter.Match(ctx, r.URL)
		switch {
		case err != nil:
			return err
		case !wanted:
		case !in.Static && r.Error == "" && r.Status < 400 && slices.Contains(static, r.ResourceType):
			hidden++
		default:
			c.say("%d. %s%s", i+1, lineOf(r), requestOutcome(r, " => "))
		}
	}
	if len(c.lines) == 0 {
		c.say("No requests")
	}
	if hidden > 0 {
		c.say("\n%d static requests are left out: set static to see them.", hidden)
	}
	return c.toFile(in.Filename, "Requests", "text/plain")
}

func lineOf(r actions.Request) string { return fmt.Sprintf("[%s] %s", r.Method, r.URL) }

// requestOutcome is the status or the error of a request; "" while it runs.
func requestOutcome(r actions.Request, before string) string {
	switch {
	case r.Error != "":
		return before + "[FAILED] " + r.Error
	case r.Status != 0:
		return strings.TrimSuffix(fmt.Sprintf("%s[%d] %s", before, r.Status, oneLine(r.StatusText)), " ")
	}
	return ""
}

type requestArgs struct {
	onPage
	filename
	Index int         `json:"index" jsonschema:"Its number in browser_network_requests"`
	Part  requestPart `json:"part,omitempty" jsonschema:"This part alone"`
}

// networkRequest is browser_network_request.
func networkRequest(ctx context.Context, c *call, in requestArgs) error {
	list, err := c.requests(ctx)
	if err != nil {
		return err
	}
	if in.Index < 1 || in.Index > len(list) {
		return invalidArgument(fmt.Sprintf("index: there is no request %d: browser_network_requests lists %d", in.Index, len(list)))
	}
	r := list[in.Index-1]
	switch in.Part {
	case "request-headers":
		c.headers("", r.Headers)
	case "response-headers":
		c.headers("", r.Response)
	case "request-body", "response-body":
		return c.body(ctx, r, in)
	default:
		c.details(in.Index, r)
	}
	return c.toFile(in.Filename, "Request", "text/plain")
}

// details prints all of a request except its bodies.
func (c *call) details(index int, r actions.Request) {
	c.say("%d. %s\n\n  General", index, lineOf(r))
	if result := requestOutcome(r, ""); result != "" {
		c.say("    status: %s", result)
	}
	if r.Took > 0 {
		c.say("    duration: %v", r.Took.Round(time.Millisecond))
	}
	c.say("    type: %s", r.ResourceType)
	if r.MIMEType != "" {
		c.say("    mimeType: %s", oneLine(r.MIMEType))
	}
	c.say("\n  Request headers")
	c.headers("    ", r.Headers)
	c.say("\n  Response headers")
	c.headers("    ", r.Response)
	c.say("")
	if r.HasBody {
		c.say("The part request-body is what was sent.")
	}
	if r.Status != 0 {
		c.say("The part response-body is what was answered.")
	}
}

func (c *call) headers(indent string, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		c.say("%s%s: %s", indent, strings.ToLower(name), oneLine(headers[name]))
	}
}

// body returns what a request has sent, or its response. It needs scope full, as the
// CDP commands behind it do.
func (c *call) body(ctx context.Context, r actions.Request, in requestArgs) error {
	if err := c.caller.PermitFull("browser_network_request with the part " + string(in.Part)); err != nil {
		return err
	}
	var data []byte
	var err error
	if in.Part == "request-body" {
		var text string
		text, err = c.page.RequestBody(ctx, r)
		data = []byte(text)
	} else {
		data, err = c.page.ResponseBody(ctx, r)
	}
	if err != nil {
		return err
	}
	if in.Filename != "" {
		return c.save("Body", in.Filename, "application/octet-stream", data)
	}
	if len(data) > actions.MaxValue {
		return &actions.Error{Kind: actions.LimitExceeded, Message: fmt.Sprintf(
			"limit exceeded: the body has %d bytes, at most %d are returned: set filename", len(data), actions.MaxValue)}
	}
	c.say("%s", strings.ToValidUTF8(string(data), "�"))
	return nil
}
