package actions

import "context"

// WebStorage is one of the two storages of a page's origin.
type WebStorage string

// The storages.
const (
	LocalStorage   WebStorage = "localStorage"
	SessionStorage WebStorage = "sessionStorage"
)

// Items lists what a storage of the page's origin holds.
func (p *Page) Items(ctx context.Context, s WebStorage) (items []Pair, err error) {
	var own OriginState
	if err := p.readByScript(ctx, "storage", obj{}, &own); err != nil {
		return nil, err
	}
	if s == SessionStorage {
		return own.SessionStorage, nil
	}
	return own.LocalStorage, nil
}

// SetItem stores a value. A storage that is full is an InvalidArgument with the
// page's own words.
func (p *Page) SetItem(ctx context.Context, s WebStorage, key, value string) error {
	return p.writeStorage(ctx, s, "setItem", key, value)
}

// RemoveItem deletes a value, if there is one.
func (p *Page) RemoveItem(ctx context.Context, s WebStorage, key string) error {
	return p.writeStorage(ctx, s, "removeItem", key)
}

// ClearStorage deletes all values.
func (p *Page) ClearStorage(ctx context.Context, s WebStorage) error {
	return p.writeStorage(ctx, s, "clear")
}

// writeStorage calls a function of a storage in the page's main world. The page gets no
// "storage" event: that event goes to other documents of the origin only (HTML
// Standard, "web storage").
func (p *Page) writeStorage(ctx context.Context, s WebStorage, function string, args ...string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.mayAct(ctx); err != nil {
		return err
	}
	if args == nil {
		args = []string{}
	}
	var out evaluated
	// The name of the storage and the function are constants; the arguments are JSON,
	// which is JavaScript.
	expression := "void " + string(s) + "." + function + "(..." + string(mustJSON(args)) + ")"
	if err := p.evaluate(ctx, expression, EvaluateOptions{}, &out); err != nil {
		return err
	}
	if text := out.exception(); text != "" {
		return invalidArgument("%s: %s", s, text)
	}
	return nil
}

// DeleteCookies deletes all cookies with a name that the page's context has, of
// whatever domain and path.
func (p *Page) DeleteCookies(ctx context.Context, name string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	list, err := p.Cookies(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Name != name {
			continue
		}
		if err := p.callMethod(ctx, "Network.deleteCookies", obj{"name": c.Name, "domain": c.Domain, "path": c.Path}, nil); err != nil {
			return err
		}
	}
	return nil
}
