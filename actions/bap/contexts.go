package bap

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/actions"
)

var browserMethods = map[string]method{
	"browser/launch":  mayBeFirst(runsAlone(methodOf("browser:launch", launchBrowser))),
	"browser/close":   runsAlone(methodOf("browser:close", closeBrowser)),
	"context/create":  methodOf("context:create", createContext),
	"context/list":    methodOf("context:read", listContexts),
	"context/destroy": runsAlone(methodOf("context:destroy", destroyContext)),
}

// defaultContext is the context that is always there.
const defaultContext = "default"

// browserContext is a browser context that the session has made.
type browserContext struct {
	target  string // its id in CDP
	created time.Time
	options pageOptions
}

// pageOptions are how a page is shown, of context/create and page/create.
type pageOptions struct {
	StorageState *actions.StorageState `json:"storageState,omitempty"`
	Viewport     *actions.Viewport     `json:"viewport,omitempty"`
	UserAgent    string                `json:"userAgent,omitempty"`
	Locale       string                `json:"locale,omitempty"`
	TimezoneID   string                `json:"timezoneId,omitempty"`
	Timezone     string                `json:"timezone,omitempty"`
	Geolocation  *actions.Geolocation  `json:"geolocation,omitempty"`
	Permissions  []string              `json:"permissions,omitempty"`
	ColorScheme  string                `json:"colorScheme,omitempty"`
	Offline      *bool                 `json:"offline,omitempty"`
}

func (o *pageOptions) check() *failure {
	if len(o.Permissions) > 0 {
		return invalidParam("permissions", "cannot be granted here")
	}
	if o.Viewport != nil {
		return requirePageSize("viewport", o.Viewport.Width, o.Viewport.Height)
	}
	return nil
}

// requirePageSize refuses a size that no page can have.
func requirePageSize(field string, width, height int) *failure {
	const most = 10_000
	if width < 1 || height < 1 || width > most || height > most {
		return invalidParam(field, "%d×%d is not a size: each must be 1 to %d", width, height, most)
	}
	return nil
}

// emulation is what to change about a page, and whether it is anything.
func (o *pageOptions) emulation() (e actions.Emulation, changes bool) {
	e = actions.Emulation{
		Viewport: o.Viewport, UserAgent: o.UserAgent, Locale: o.Locale, Timezone: cmp.Or(o.TimezoneID, o.Timezone),
		Geolocation: o.Geolocation, ColorScheme: o.ColorScheme, Offline: o.Offline,
	}
	return e, e != actions.Emulation{}
}

// apply shows a page as the options say. It needs the page's document for storage,
// and nothing else.
func (o *pageOptions) apply(ctx context.Context, page *actions.Page) error {
	if e, changes := o.emulation(); changes {
		if err := page.Emulate(ctx, e); err != nil {
			return err
		}
	}
	if o.StorageState != nil {
		return page.SetStorageState(ctx, *o.StorageState)
	}
	return nil
}

type createContextParams struct {
	ContextID string
	Options   pageOptions
}

func (p *createContextParams) check() *failure {
	const longest = 64
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-'
	}
	if len(p.ContextID) > longest || strings.ContainsFunc(p.ContextID, func(r rune) bool { return !ok(r) }) {
		return invalidParam("contextId", "must have letters, digits and hyphens, %d at most", longest)
	}
	return p.Options.check()
}

// createContext is context/create. The lock is not held while the browser makes the
// context, so that other calls of the session go on meanwhile.
func createContext(ctx context.Context, k *call, p createContextParams) (any, error) {
	s := k.session
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	n := len(s.contexts)
	if p.ContextID == "" {
		for i := n + 1; p.ContextID == "" || s.contexts[p.ContextID] != nil; i++ {
			p.ContextID = "context-" + strconv.Itoa(i)
		}
	}
	taken := p.ContextID == defaultContext || s.contexts[p.ContextID] != nil
	s.mu.Unlock()
	switch most := s.srv.options.Contexts; {
	case taken:
		return nil, invalidParam("contextId", "%q already exists", p.ContextID)
	case n >= most:
		return nil, newFailure(codeResourceLimit, "Limit exceeded: %s at most", english.Plural(most, "context", "")).detail("maxContexts", most)
	}
	id, err := b.CreateContext(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contexts[p.ContextID] = &browserContext{target: id, created: time.Now(), options: p.Options}
	return obj{"contextId": p.ContextID}, nil
}

// contextInfo is a context in context/list.
type contextInfo struct {
	ID        string       `json:"id"`
	PageCount int          `json:"pageCount"`
	Created   int64        `json:"created"` // ms since 1970
	Options   *pageOptions `json:"options,omitempty"`
}

// listContexts is context/list. It lists the contexts of this session alone, by id.
func listContexts(ctx context.Context, k *call, _ none) (any, error) {
	s := k.session
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	pages := make(map[string]int)
	for _, c := range b.Contexts() {
		pages[c.ID] = c.Pages
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []contextInfo{}
	for id, c := range s.contexts {
		list = append(list, contextInfo{id, pages[c.target], c.created.UnixMilli(), &c.options})
	}
	slices.SortFunc(list, func(x, y contextInfo) int { return strings.Compare(x.ID, y.ID) })
	return obj{"contexts": list, "limits": obj{"maxContexts": s.srv.options.Contexts, "currentCount": len(list)}}, nil
}

// destroyContext is context/destroy. It closes the pages of the context, too.
func destroyContext(ctx context.Context, k *call, p struct{ ContextID string }) (any, error) {
	if f := requireValue("contextId", p.ContextID); f != nil {
		return nil, f
	}
	s := k.session
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	c, bad := s.context(p.ContextID)
	if bad != nil {
		// The session's own contexts alone: it cannot end those of others.
		return nil, bad
	}
	n, err := b.DestroyContext(ctx, c.target)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.contexts, p.ContextID)
	return obj{"pagesDestroyed": n}, nil
}

// context finds a context that the session has made, by the id that the client knows.
func (s *session) context(id string) (*browserContext, *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.contexts[id]; c != nil {
		return c, nil
	}
	return nil, newFailure(codeContextNotFound, "Context not found: %s", id).detail("contextId", id)
}
