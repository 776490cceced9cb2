package actions

import (
	"context"
	"slices"
)

// Viewport is the size of a page, in CSS pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Emulation is what to change of how a page is shown. Nil and empty fields change
// nothing. Each part is one command of CDP's domains Emulation and Network.
type Emulation struct {
	Viewport       *Viewport
	Scale          float64 // device pixels to a CSS pixel; 1 when 0
	Mobile, Touch  bool
	UserAgent      string
	Platform       string // with UserAgent
	AcceptLanguage string // with UserAgent
	Geolocation    *Geolocation
	Offline        *bool
	ColorScheme    string // "light" or "dark"
	Locale         string
	Timezone       string
}

// Geolocation is a place. Accuracy is in metres.
type Geolocation struct{ Latitude, Longitude, Accuracy float64 }

// Emulate changes how a page is shown. It stops at the first change that the
// target cannot do.
func (p *Page) Emulate(ctx context.Context, e Emulation) error {
	return p.runInput(ctx, func(ctx context.Context, s string) error {
		for _, c := range e.commands(s) {
			if err := p.callCommands(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e Emulation) commands(s string) (list []command) {
	add := func(method string, params obj) { list = append(list, command{s, method, params, nil}) }
	if v := e.Viewport; v != nil {
		scale := e.Scale
		if scale == 0 {
			scale = 1
		}
		// The width and height of 0 would mean no override (CDP,
		// Emulation.setDeviceMetricsOverride).
		add("Emulation.setDeviceMetricsOverride", obj{"width": v.Width, "height": v.Height, "deviceScaleFactor": scale, "mobile": e.Mobile})
		if e.Touch {
			add("Emulation.setTouchEmulationEnabled", obj{"enabled": true})
		}
	}
	if e.UserAgent != "" {
		params := obj{"userAgent": e.UserAgent}
		if e.Platform != "" {
			params["platform"] = e.Platform
		}
		if e.AcceptLanguage != "" {
			params["acceptLanguage"] = e.AcceptLanguage
		}
		add("Network.setUserAgentOverride", params)
	}
	if g := e.Geolocation; g != nil {
		add("Emulation.setGeolocationOverride", obj{"latitude": g.Latitude, "longitude": g.Longitude, "accuracy": max(g.Accuracy, 1)})
	}
	if e.Offline != nil {
		// -1 means no limit of the throughput (CDP,
		// Network.emulateNetworkConditions).
		add("Network.emulateNetworkConditions", obj{"offline": *e.Offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	}
	if e.ColorScheme != "" {
		add("Emulation.setEmulatedMedia", obj{"features": []obj{{"name": "prefers-color-scheme", "value": e.ColorScheme}}})
	}
	if e.Locale != "" {
		add("Emulation.setLocaleOverride", obj{"locale": e.Locale})
	}
	if e.Timezone != "" {
		add("Emulation.setTimezoneOverride", obj{"timezoneId": e.Timezone})
	}
	return list
}

// ViewportSize is the size of the page in CSS pixels, as its script sees it.
func (p *Page) ViewportSize(ctx context.Context) (v Viewport, err error) {
	err = p.readByScript(ctx, "metrics", obj{}, &v)
	return v, err
}

// CreateContext makes a context whose pages share nothing with others. Such
// contexts end with their browser, or by DestroyContext.
func (b *Browser) CreateContext(ctx context.Context) (id string, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var out struct{ BrowserContextID string }
	// The context ends with this connection even if the caller forgets it (CDP,
	// Target.createBrowserContext).
	if err := b.call(ctx, "Target.createBrowserContext", obj{"disposeOnDetach": true}, &out); err != nil {
		return "", err
	}
	b.askForDownloads(out.BrowserContextID)(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.created[out.BrowserContextID] = true
	return out.BrowserContextID, nil
}

// Context is a context and how many pages it has.
type Context struct {
	ID    string
	Pages int
}

// Contexts lists the contexts that this caller has made.
func (b *Browser) Contexts() []Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := []Context{}
	for id := range b.created {
		list = append(list, Context{id, len(b.inContextLocked(id))})
	}
	slices.SortFunc(list, func(x, y Context) int {
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	return list
}

func (b *Browser) inContextLocked(id string) (pages []*Page) {
	for _, p := range b.pages {
		p.mu.Lock()
		if p.info.BrowserContextID == id {
			pages = append(pages, p)
		}
		p.mu.Unlock()
	}
	return pages
}

// DestroyContext closes a context that this caller has made, with its pages,
// and says how many those were.
func (b *Browser) DestroyContext(ctx context.Context, id string) (pages int, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	b.mu.Lock()
	known := b.created[id]
	pages = len(b.inContextLocked(id))
	b.mu.Unlock()
	if !known {
		return 0, newError(ContextNotFound, "not found: %s", id)
	}
	if err := b.call(ctx, "Target.disposeBrowserContext", obj{"browserContextId": id}, nil); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.created, id)
	return pages, nil
}
