package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
)

type evalParams struct {
	onBrowser
	Script    string   `json:"script"`
	TimeoutMS *float64 `json:"timeoutMs"`
}

// evaluateScript checks the consent for the origin of the page before each run.
func evaluateScript(ctx context.Context, c *call, p evalParams) (any, error) {
	if p.Script == "" {
		return nil, missingParam("script")
	}
	origin := originOf(c.page.URL())
	for range 3 { // it may be on its way through several
		if origin != "" {
			v, err := c.evaluateIn(ctx, origin, p)
			if !errors.Is(err, errElsewhere) {
				return v, err
			}
		}
		var err error
		if origin, err = c.origin(ctx); err != nil {
			return nil, err
		}
	}
	return nil, newError(actions.ConsentDenied, "consent denied: the page does not stay in one origin")
}

// errElsewhere says that the page's document is of another origin now. Its text goes
// into the page and comes back.
var errElsewhere = errors.New("cdphub: of another origin")

// evaluateIn runs a script in a document of an origin, if that is allowed. The
// question for consent may take a minute, in which the page may have gone elsewhere:
// so the script itself checks the origin before it does anything.
func (c *call) evaluateIn(ctx context.Context, origin string, p evalParams) (any, error) {
	// A refusal for an origin that the page has left is no answer for the new one.
	if err := c.caller.Consents.Check(ctx, c.caller.ID, origin); err != nil {
		if now, failed := c.origin(ctx); failed == nil && now != origin {
			return nil, errElsewhere
		}
		return nil, err
	}
	ctx, cancel, err := withTimeoutMs(ctx, p.TimeoutMS, evalWithin)
	if err != nil {
		return nil, err
	}
	defer cancel()
	v, err := c.page.Evaluate(ctx, fmt.Sprintf("if (location.origin !== %q) throw %q; %s", origin, errElsewhere.Error(), p.Script), actions.EvaluateOptions{})
	switch {
	case err == nil:
		return map[string]any{"value": v.JSON}, nil
	case actions.KindOf(err) == actions.EvalException && strings.HasSuffix(err.Error(), ": "+errElsewhere.Error()):
		return nil, errElsewhere
	}
	return nil, err
}

// originOf is the origin of a URL of http or https, and "" for others: these are
// asked of the page.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// origin is the origin of the page's document, as the page says it. Scripts cannot
// replace location: it is [LegacyUnforgeable] (HTML Standard).
func (c *call) origin(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, evalWithin)
	defer cancel()
	v, err := c.page.Evaluate(ctx, "location.origin", actions.EvaluateOptions{})
	if err != nil {
		return "", err
	}
	var origin string
	if err := wire.Decode(v.JSON, &origin); err != nil {
		return "", newError(actions.Internal, "the page has no origin")
	}
	return origin, nil
}
