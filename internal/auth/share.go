package auth

import (
	"fmt"
	"strings"
)

// A share is a set of tokens that use one browser together: those with the same share:
// NAME, or one token alone. The server gives each share a hub of its own behind the
// address of a hub that has a browser.

// tokenShare begins the names of shares of one token. No entry and no claim may name
// such a share, or its bearer could join the browser of another token.
const tokenShare = "token-"

// shareDigits is how many hexadecimal digits of a token's hash name its share: 64 bits,
// which no two tokens have in common by chance.
const shareDigits = 16

// readShare reads what an entry says of the share.
func (g *Grant) readShare(share string) error {
	switch {
	case share == "":
		return nil
	case g.Role == RoleAdmin:
		return fmt.Errorf("share is for a token of role client or host, and its role is %s: leave share out", g.Role)
	case !validHub(share) || strings.HasPrefix(share, tokenShare):
		return fmt.Errorf("share is %q: set a name of [a-z0-9-]{1,63} that does not begin with %q", share, tokenShare)
	}
	g.Share = share
	return nil
}

// Share is the share that a request belongs to. It is "" for the operator's own: where
// no token was needed, and for tokens that the operator has given by an option or that
// the process has made.
func (p Pass) Share() string {
	switch {
	case p.Grant.Role == "", p.Grant.Own:
		return ""
	case p.Grant.Share != "":
		return p.Grant.Share
	}
	bearer := p.Bearer()
	return tokenShare + bearer[:min(len(bearer), shareDigits)]
}

// Enters reports whether a pass may use the hub of a share: of its own, or of any share
// with a Client's token for every hub and scope privileged.
func (p Pass) Enters(share string) bool {
	return p.Share() == share || p.Grant.Role == RoleClient && p.Grant.Hub == EveryHub && p.Grant.Scope >= ScopePrivileged
}
