// Package limittest goes to limits in tests: to each, over it by one, and to it again.
package limittest

import "testing"

// Reach wants a limit to accept as many as it says, and to refuse one more. Afterwards it
// accepts its number again, so that a refusal holds nothing. fits uses n of what is limited,
// or something of length n, and reports whether all of it was accepted; what one call has
// used must be free again for the next.
func Reach(t *testing.T, limit string, most int, fits func(n int) bool) {
	t.Helper()
	t.Run(limit, func(t *testing.T) {
		t.Helper()
		for _, try := range []struct {
			n    int
			fits bool
		}{{most, true}, {most + 1, false}, {most, true}} {
			if got := fits(try.n); got != try.fits {
				t.Errorf("%d of %d fit: %v, want %v", try.n, most, got, try.fits)
			}
		}
	})
}
