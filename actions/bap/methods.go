package bap

import (
	"context"
	"maps"

	"github.com/cdphub/cdphub/actions"
)

// method is one row of the table of methods. See Job in package actions for page and
// alone.
type method struct {
	scope string // that the caller must hold; "" is none
	page  bool   // it acts on a page
	alone bool   // it may change which page is active: it waits for others, and they for it
	life  bool   // it begins or ends the connection's session, and runs at once
	own   bool   // it keeps its time itself
	first bool   // a client may begin with it, without initialize: see assumeSession
	run   func(ctx context.Context, k *call) (any, error)
}

// methodOf is a method whose params have the type P.
func methodOf[P any](scope string, f func(ctx context.Context, k *call, p P) (any, error)) method {
	return method{scope: scope, run: func(ctx context.Context, k *call) (any, error) {
		p, err := decodeParams[P](k.params)
		if err != nil {
			return nil, err
		}
		return f(ctx, k, p)
	}}
}

// onPage is a method on the page that the param pageId names, or on the active one.
func onPage[P any](scope string, f func(ctx context.Context, page *actions.Page, p P) (any, error)) method {
	return onPageOf(scope, func(ctx context.Context, _ *call, page *actions.Page, p P) (any, error) { return f(ctx, page, p) })
}

// onPageOf is onPage for methods that need more than the page.
func onPageOf[P any](scope string, f func(ctx context.Context, k *call, page *actions.Page, p P) (any, error)) method {
	return method{scope: scope, page: true, run: func(ctx context.Context, k *call) (any, error) {
		// A pageId of a wrong type gets its own error, before those of P.
		if _, err := decodeParams[struct{ PageID string }](k.params); err != nil {
			return nil, err
		}
		p, err := decodeParams[P](k.params)
		if err != nil {
			return nil, err
		}
		id := pageOf(k.params)
		_, page, err := k.session.page(ctx, id)
		if k.first && id == "" && actions.KindOf(err) == actions.PageNotFound {
			page, err = k.session.firstPage(ctx, err)
		}
		if err != nil {
			return nil, err
		}
		return f(ctx, k, page, p)
	}}
}

// pageAction is onPage for methods without a result.
func pageAction[P any](scope string, f func(ctx context.Context, page *actions.Page, p P) error) method {
	return onPage(scope, func(ctx context.Context, page *actions.Page, p P) (any, error) {
		return none{}, f(ctx, page, p)
	})
}

// allMethods are all methods of the protocol that are served, by name.
func allMethods() map[string]method {
	all := make(map[string]method)
	for _, group := range []map[string]method{
		lifeMethods, browserMethods, pageMethods, actionMethods, observeMethods, storageMethods, agentMethods, eventMethods, networkMethods,
	} {
		maps.Copy(all, group)
	}
	return all
}

// runsAlone marks a method that may change which page is active.
func runsAlone(m method) method {
	m.alone = true
	return m
}

// mayBeFirst marks a method with which a client may begin.
func mayBeFirst(m method) method {
	m.first = true
	return m
}

// keepsTime marks a method that bounds its time itself.
func keepsTime(m method) method {
	m.own = true
	return m
}
