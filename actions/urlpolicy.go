package actions

import (
	"context"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// Block says why a URL is refused.
type Block = urlpolicy.Reason

// The reasons to refuse a URL.
const (
	BlockInvalid  = urlpolicy.Invalid
	BlockScheme   = urlpolicy.Scheme
	BlockMetadata = urlpolicy.Metadata
	BlockDomain   = urlpolicy.Domain
	BlockPrivate  = urlpolicy.Private
)

// refuseBlocked is the error for a URL that may not be shown; nil for nil.
func refuseBlocked(why *urlpolicy.Refusal) *Error {
	if why == nil {
		return nil
	}
	e := newError(URLBlocked, "navigation blocked: %s", why.Text)
	e.Details.Block = why.Reason
	return e
}

// check refuses a URL that may not be shown, by its name and by the addresses that
// the name leads to. A name that this machine does not know passes: the target may
// know it, and has a policy of its own if it is a browser.
func (b *Browser) check(ctx context.Context, url string) error {
	if url == blank {
		return nil
	}
	why := b.urls.Judge(ctx, b.names, url)
	if why != nil && why.Reason != urlpolicy.Unresolved {
		return refuseBlocked(why)
	}
	return nil
}

// Allows is nil for an address that a page may have, else an *Error of kind
// URLBlocked. It may ask DNS.
func (b *Browser) Allows(ctx context.Context, url string) error { return b.check(ctx, url) }

// checkName is check by the name alone, without DNS, for the goroutine of the events.
func (b *Browser) checkName(url string) *Error {
	if url == blank {
		return nil
	}
	return refuseBlocked(b.urls.Check(url))
}
