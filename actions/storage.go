package actions

import (
	"context"
	"strings"
)

// Cookie is a cookie, with the names that Playwright's storage state and CDP's
// Network.Cookie both have.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain,omitempty"`
	Path     string  `json:"path,omitempty"`
	URL      string  `json:"url,omitempty"`     // instead of Domain, when setting
	Expires  float64 `json:"expires,omitempty"` // seconds since 1970; -1 or 0 for the session
	HTTPOnly bool    `json:"httpOnly,omitempty"`
	Secure   bool    `json:"secure,omitempty"`
	SameSite string  `json:"sameSite,omitempty"` // "Strict", "Lax" or "None"
}

// Cookies lists the cookies that would be sent to these URLs. Without URLs it lists
// all cookies of the page's context. A frame target knows only the cookies that its
// script sees (document.cookie), so none that are HttpOnly.
func (p *Page) Cookies(ctx context.Context, urls ...string) ([]Cookie, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var out struct{ Cookies []Cookie }
	if len(urls) > 0 {
		err := p.callMethod(ctx, "Network.getCookies", obj{"urls": urls}, &out)
		return out.Cookies, err
	}
	err := p.callMethod(ctx, "Storage.getCookies", nil, &out)
	return out.Cookies, err
}

// SetCookies sets cookies. A cookie without domain and URL is set for the page's
// address.
func (p *Page) SetCookies(ctx context.Context, cookies []Cookie) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	list := make([]Cookie, len(cookies))
	for i, c := range cookies {
		if c.Name == "" {
			return invalidArgument("a cookie has no name")
		}
		if c.Domain == "" && c.URL == "" {
			c.URL = p.address()
		}
		// Playwright's storage state has -1 for a session cookie; CDP wants no time.
		if c.Expires < 0 {
			c.Expires = 0
		}
		list[i] = c
	}
	return p.callMethod(ctx, "Network.setCookies", obj{"cookies": list}, nil)
}

// ClearCookies deletes the cookies that are sent to these URLs; without URLs, all
// cookies of the context.
func (p *Page) ClearCookies(ctx context.Context, urls ...string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if len(urls) == 0 {
		return p.callMethod(ctx, "Network.clearBrowserCookies", nil, nil)
	}
	list, err := p.Cookies(ctx, urls...)
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := p.callMethod(ctx, "Network.deleteCookies", obj{"name": c.Name, "domain": c.Domain, "path": c.Path}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Pair is an entry of a storage.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// OriginState is what an origin has stored.
type OriginState struct {
	Origin         string `json:"origin"`
	LocalStorage   []Pair `json:"localStorage"`
	SessionStorage []Pair `json:"sessionStorage,omitempty"`
}

// StorageState is what a page's context has stored.
type StorageState struct {
	Cookies []Cookie      `json:"cookies"`
	Origins []OriginState `json:"origins"`
}

// StorageState reads the cookies of the page's context, and the storage of the origin
// of its document. CDP reads the storage of other origins only while a page of them
// is shown.
func (p *Page) StorageState(ctx context.Context) (s StorageState, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if s.Cookies, err = p.Cookies(ctx); err != nil {
		return s, err
	}
	var own OriginState
	if err := p.readByScript(ctx, "storage", obj{}, &own); err != nil {
		return s, err
	}
	if strings.HasPrefix(own.Origin, "http") {
		s.Origins = []OriginState{own}
	}
	return s, nil
}

// SetStorageState sets cookies and storage. Storage can be set only for the origin of
// the page's document; for another one the error is Unsupported, before anything is
// set.
func (p *Page) SetStorageState(ctx context.Context, s StorageState) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.checkOrigins(ctx, s); err != nil {
		return err
	}
	if len(s.Cookies) > 0 {
		if err := p.SetCookies(ctx, s.Cookies); err != nil {
			return err
		}
	}
	for _, o := range s.Origins {
		if err := p.readByScript(ctx, "store", obj{"localStorage": o.LocalStorage, "sessionStorage": o.SessionStorage}, nil); err != nil {
			return err
		}
	}
	return nil
}

// checkOrigins refuses storage that cannot be set, and origins that the URL policy
// does not allow.
func (p *Page) checkOrigins(ctx context.Context, s StorageState) error {
	var own OriginState
	if err := p.readByScript(ctx, "storage", obj{}, &own); err != nil {
		return err
	}
	for _, o := range s.Origins {
		if err := p.b.checkName(o.Origin); err != nil {
			return err
		}
		if o.Origin != own.Origin {
			return p.unsupportedError("DOMStorage.setDOMStorageItem", "storage of "+o.Origin+" can be set while a page of it is shown")
		}
	}
	return nil
}

// ReplaceStorageState is SetStorageState in place of what there is: it first deletes
// the cookies of the page's context and the local storage of its document's origin.
// If the state is refused for its origins, nothing has changed.
func (p *Page) ReplaceStorageState(ctx context.Context, s StorageState) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.checkOrigins(ctx, s); err != nil {
		return err
	}
	if err := p.ClearCookies(ctx); err != nil {
		return err
	}
	if err := p.ClearStorage(ctx, LocalStorage); err != nil {
		return err
	}
	return p.SetStorageState(ctx, s)
}
