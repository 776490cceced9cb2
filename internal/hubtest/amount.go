package hubtest

import "os"

// Amount is how much of something a test uses: with CDPHUB_LONG set, as much as its
// requirement says, and else less.
func Amount(short, long int) int {
	if os.Getenv("CDPHUB_LONG") != "" {
		return long
	}
	return short
}
