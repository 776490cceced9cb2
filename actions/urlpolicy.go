package actions

import (
	"context"

	"github.com/cdphub/cdphub/urlpolicy"
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

// blocked is the error for a URL that may not be shown.
func blocked(why *urlpolicy.Refusal) *Error {
	if why == nil {
		return nil
	}
	e := errorf(URLBlocked, "navigation blocked: %s", why.Text)
	e.Details.Block = why.Reason
	return e
}

// check refuses a URL that may not be shown, by its name and by the addresses
// that lead there. A name that is not known here may be known to the target,
// which has its own policy if it is a browser.
func (b *Browser) check(ctx context.Context, url string) error {
	if url == blank {
		return nil
	}
	why := b.urls.Judge(ctx, b.names, url)
	if why != nil && why.Reason != urlpolicy.Unresolved {
		return blocked(why)
	}
	return nil
}

// Allows refuses an address that a page may not have.
func (b *Browser) Allows(ctx context.Context, url string) error { return b.check(ctx, url) }

// checkName is check by name alone, which takes no time.
func (b *Browser) checkName(url string) *Error {
	if url == blank {
		return nil
	}
	return blocked(b.urls.Check(url))
}
