package auth

import "errors"

// Why a login fails. refusal has the texts of the answers.
var (
	errMissing   = errors.New("no token was sent")
	errInURL     = errors.New("a token in the address is refused on this path")
	errUnknown   = errors.New("the token is none of those listed")
	errOtherRole = errors.New("the token has another role")
	errOtherHub  = errors.New("the token is for another hub")
)

// reasons are the words for them in metrics. What is none of them is "invalid":
// a token that a known key has signed, with claims that cannot stand.
var reasons = []struct {
	err  error
	word string
}{
	{errMissing, "missing"},
	{errInURL, "in_url"},
	{errUnknown, "unknown"},
	{ErrExpired, "expired"},
	{ErrRevoked, "revoked"},
	{errOtherRole, "other_role"},
	{errOtherHub, "other_hub"},
}

// Reasons lists the words that GateOptions.Failed is called with.
func Reasons() []string {
	words := []string{reasonInvalid}
	for _, r := range reasons {
		words = append(words, r.word)
	}
	return words
}

// reasonInvalid is the word for what has none of its own.
const reasonInvalid = "invalid"

// reasonOf is the word of an error.
func reasonOf(why error) string {
	for _, r := range reasons {
		if errors.Is(why, r.err) {
			return r.word
		}
	}
	return reasonInvalid
}

// isOurs reports whether a token was refused that is good elsewhere, or was
// good once: it was not guessed.
func isOurs(why error) bool {
	return errors.Is(why, errOtherRole) || errors.Is(why, errOtherHub) || errors.Is(why, ErrExpired) || errors.Is(why, ErrRevoked)
}
