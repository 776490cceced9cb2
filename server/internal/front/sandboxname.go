package front

import "strings"

// SandboxPrefix and sandboxRandom are what the name of a sandbox consists of: the
// prefix, and 26 random characters of base32 in lower case (RFC 4648, section 6), 130
// bits, so that nobody can guess one. No other hub may have such a name: a Client
// that comes back to a sandbox that has ended makes no new hub.
const (
	SandboxPrefix = "sandbox-"
	SandboxRandom = 26
)

// IsSandbox reports whether a hub's name is that of a sandbox, which there may
// be or not.
func IsSandbox(name string) bool {
	random, ok := strings.CutPrefix(name, SandboxPrefix)
	return ok && len(random) == SandboxRandom && strings.Trim(random, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// GuestPrefix begins the keys of guests, which take the place of a token.
const GuestPrefix = "handoff."
