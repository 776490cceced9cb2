package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
)

// session is one client and its connection to the hub.
//
// Lock order: turn, then mu. mu is held while no call of package actions runs that
// waits.
type session struct {
	caller   actions.Caller // static after newSession
	meter    *actions.Meter
	files    Files
	groups   []string             // the groups of tools that are offered, beside those that always are
	looks    int                  // characters of the snapshot in an answer
	usual    actions.SnapshotMode // of calls that say nothing else
	noImages bool                 // pictures are not in answers
	acts     time.Duration        // that a tool waits for its element
	log      *zap.Logger
	queue    chan struct{} // holds an item for each call that runs or waits
	turn     chan struct{} // holds an item while a call runs
	asked    chan struct{} // gets an item when a page has opened a dialog
	gone     chan struct{} // closed when the session has ended

	mu      sync.Mutex `stays:"the handler counts the session"` // guards everything below
	closed  bool
	browser *actions.Browser      // nil until the first call
	pages   map[string]*pageState // by page ID
	tabs    tabs
	routes  []*route // the newest last
	offline bool

	downloads downloadLog
}

// pageState is what a session keeps of a page until the page closes.
type pageState struct {
	watched bool                        // the page records its requests
	console console                     // what the page has written
	seen    actions.PageInfo            // the page as last seen
	shown   []string                    // its latest snapshots: of the whole, and of a part
	media   actions.Media               // the features that this client has changed
	unroute func(context.Context) error // nil unless the page asks for its requests
}

func newSession(c actions.Caller, o Options, log *zap.Logger) *session {
	// A caller that may only read leaves dialogs to others, see actions.Caller.Open.
	if c.Permit("browser_handle_dialog", false) == nil {
		c.Options.Dialogs = actions.AskDialogs
	}
	if c.Options.Meter == nil {
		c.Options.Meter = actions.NewMeter(c.Options.Limits)
	}
	meter := c.Options.Meter
	return &session{
		caller: c, meter: meter, files: o.Files, groups: o.Groups, looks: cmp.Or(o.Snapshot, usualLook), usual: cmp.Or(o.Mode, actions.SnapshotMode{Kind: actions.DeltaSnapshot}), noImages: o.NoImages, acts: cmp.Or(o.Action, actions.ElementTime), log: log,
		queue: make(chan struct{}, meter.Limits().Waiting), turn: make(chan struct{}, 1), asked: make(chan struct{}, 1),
		gone: make(chan struct{}), pages: make(map[string]*pageState), downloads: newDownloadLog(),
	}
}

const instructions = `Drives the pages of a browser, or apps in frames of one.
Read a page with browser_snapshot and act on its elements by the refs that it prints.
After an action the answer has only what has changed since you were shown the page ("### Changes"): each line at the left
is an element as it is now, "... e3..e9" in it stands for elements that are as they were, "removed:" lists those that
have gone. All else is as before, and its refs hold. "### Snapshot" is the whole page.`

// server makes the MCP server of the session. It has only the tools that the caller
// may use and has asked for.
func (s *session) server(id func() string) *sdk.Server {
	can := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	if s.caller.Downloads != nil {
		can.Resources = &sdk.ResourceCapabilities{}
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "cdphub", Title: "cdphub", Version: s.caller.Version}, &sdk.ServerOptions{
		Instructions: instructions, GetSessionID: id, SchemaCache: schemas, Capabilities: can,
	})
	for _, t := range tools {
		if s.offers(&t) == nil {
			t.add(server, s)
		}
	}
	server.AddReceivingMiddleware(withSections, s.denials, s.resources)
	return server
}

// permit refuses a tool that the caller may not use.
func (s *session) permit(t *tool) error {
	if t.has(full) {
		return s.caller.PermitFull(t.name)
	}
	return s.caller.Permit(t.name, t.has(reading))
}

// offers is nil for a tool that is offered, else the reason why not.
func (s *session) offers(t *tool) error {
	switch {
	case t.lacks != "":
		return &actions.Error{Kind: actions.Unsupported, Message: t.name + " is not supported: " + t.lacks}
	case t.group != "" && !slices.Contains(s.groups, t.group):
		return &actions.Error{Kind: actions.Unsupported, Message: fmt.Sprintf(
			"%s belongs to the capability %s, which is off: start cdphub mcp with --caps %[2]s, or connect to /mcp?caps=%[2]s", t.name, t.group)}
	}
	return s.permit(t)
}

// denials answers a call of a tool that is not offered with the reason, where the SDK would
// say that it is unknown, and one with arguments that the tool has not with those that it has.
func (s *session) denials(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok {
			i := slices.IndexFunc(tools, func(t tool) bool { return t.name == call.Name })
			if i < 0 {
				return nil, unknownToolError(call.Name)
			}
			if err := cmp.Or(s.offers(&tools[i]), checkNames(&tools[i], call.Arguments)); err != nil {
				return new(reply).result(err), nil
			}
		}
		return next(ctx, method, req)
	}
}

// unknownToolError is the SDK's error for a tool that is not there (MCP specification, "Error Handling"), with the
// tool that was meant.
func unknownToolError(name string) error {
	known := func(yield func(string) bool) {
		for _, t := range tools {
			if t.lacks == "" && !yield(t.name) {
				return
			}
		}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: actions.UnknownName("unknown tool: ", name, known).Message}
}

// withSections gives an answer of the SDK itself, about arguments that do not fit the
// schema, the form of the others.
func withSections(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		r, ok := result.(*sdk.CallToolResult)
		if !ok || err != nil || !r.IsError || len(r.Content) == 0 {
			return result, err
		}
		if text, ok := r.Content[0].(*sdk.TextContent); ok && !strings.HasPrefix(text.Text, "### ") {
			text.Text = "### Error\nError: bad request: " + strings.TrimPrefix(text.Text, `validating "arguments": validating root: `) + "\n"
		}
		return r, nil
	}
}

var schemas = sdk.NewSchemaCache()

// usualLook is Options.Snapshot where it is not set: some 5,000 tokens of a model.
const usualLook = 20_000

// Options are what a client gets beside its tools. The zero value gives it no access
// to files of this machine.
type Options struct {
	Files    Files
	Groups   []string             // of tools, as Groups reads them
	Snapshot int                  // characters of the page's snapshot in an answer; 20,000
	Mode     actions.SnapshotMode // of answers to calls that say nothing else; DeltaSnapshot
	NoImages bool                 // pictures are left out of answers
	Action   time.Duration        // that a tool waits for its element; actions.ElementTime
}

// Serve serves one client over a pair of streams, one message on a line (MCP
// specification, "stdio"), until in ends or ctx does. Both are no error.
func Serve(ctx context.Context, c actions.Caller, in io.ReadCloser, out io.Writer, o Options) error {
	s := newSession(c, o, c.Options.Logger().Named("mcp"))
	defer s.close()
	err := s.server(nil).Run(ctx, &stdio{in: in, out: out})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// open returns the session's Browser, which the first call makes. It runs with the
// turn, so that only one is made.
func (s *session) open(ctx context.Context) (*actions.Browser, error) {
	s.mu.Lock()
	b := s.browser
	s.mu.Unlock()
	if b != nil {
		return b, nil
	}
	b, err := s.caller.Open(ctx)
	if err != nil {
		return nil, err
	}
	pages := b.Pages()
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.browser = b
		s.pages = make(map[string]*pageState)
		s.routes, s.offline = nil, false                 // they have ended with an earlier connection
		if s.tabs.update(pages); len(s.tabs.list) == 0 { // all went with an earlier connection
			s.tabs = tabs{}
		}
	}
	s.mu.Unlock()
	if closed {
		b.Close()
		return nil, sessionOverError()
	}
	b.Subscribe(actions.DialogEvents|actions.ConsoleEvents|actions.LogEvents|actions.PageEvents|actions.DownloadEvents, s.event)
	return b, nil
}

// sessionOverError is the error of calls that the end of the session cuts off.
func sessionOverError() error {
	return &actions.Error{Kind: actions.TargetClosed, Message: "the session has ended"}
}

// event notes what pages do. It runs in the goroutine of the Browser's events, and
// must not wait.
func (s *session) event(e actions.Event) {
	switch body := e.Body.(type) {
	case actions.Dialog:
		if body.Waits {
			select {
			case s.asked <- struct{}{}:
			default:
			}
		}
	case actions.ConsoleMessage:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stateOf(e.Page.ID).console.add(body)
	case actions.Download:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.downloads.note(body)
	case actions.PageChange:
		s.mu.Lock()
		defer s.mu.Unlock()
		switch p := s.pages[e.Page.ID]; {
		case p == nil:
		case body.Type == "close":
			delete(s.pages, e.Page.ID)
		case body.Type == "navigated":
			p.console.navigated()
		case body.Type == "domcontentloaded":
			p.console.parsed()
		}
	}
}

// stateOf returns the state of a page. The caller holds mu.
func (s *session) stateOf(id string) *pageState {
	p := s.pages[id]
	if p == nil {
		p = new(pageState)
		s.pages[id] = p
	}
	return p
}

// watch has a page record its requests from now on, if it can:
// browser_network_requests lists them later.
func (s *session) watch(ctx context.Context, p *actions.Page) {
	s.mu.Lock()
	state := s.stateOf(p.ID)
	already := state.watched
	state.watched = true
	s.mu.Unlock()
	if !already {
		_, _ = p.Requests(ctx, 1) // a page that cannot has none to list
	}
}

// learn notes the title that a page has given of itself. learned is that title while
// the address is the same, else the title of the list, which Chromium updates late.
func (s *session) learn(p actions.PageInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stateOf(p.ID).seen = p
}

func (s *session) learned(p actions.PageInfo) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.pages[p.ID]; known != nil && known.seen.ID != "" && known.seen.URL == p.URL {
		return known.seen.Title
	}
	return p.Title
}

// checking is how long the hub may take to answer that it is there.
const checking = 5 * time.Second

// check drops a connection that has ended, so that the next call makes another.
func (s *session) check(b *actions.Browser) {
	ctx, cancel := context.WithTimeout(context.Background(), checking)
	defer cancel()
	if _, err := b.Version(ctx); err == nil {
		return
	}
	s.mu.Lock()
	if s.browser == b {
		s.browser = nil
	}
	s.mu.Unlock()
	b.Close()
}

// close ends the connection to the hub. Calls that run fail, and later ones are
// refused.
func (s *session) close() {
	s.mu.Lock()
	b := s.browser
	if !s.closed {
		close(s.gone)
	}
	s.browser, s.closed = nil, true
	s.mu.Unlock()
	if b != nil {
		b.Close()
	}
}
