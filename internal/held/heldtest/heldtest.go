// Package heldtest asserts that what was taken was given back.
package heldtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/held"
)

// within is how long a test waits until the last one has gone. Nothing waits that long unless
// something is left.
const within = 20 * time.Second

// WantsNothing asserts that nothing is held, at once.
func WantsNothing(t testing.TB, who string, held map[string]int) {
	t.Helper()
	if left := leftOf(held); left != "" {
		t.Errorf("%s still holds %s", who, left)
	}
}

// WaitsForNothing waits until nothing is held any more, by those whose ends a test cannot wait for.
func WaitsForNothing(t testing.TB, who string, held func() map[string]int) {
	t.Helper()
	for end := time.Now().Add(within); leftOf(held()) != "" && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	WantsNothing(t, who, held())
}

// Of is what a value holds, for WaitsForNothing.
func Of(v any) func() map[string]int { return func() map[string]int { return held.Of(v) } }

// leftOf says what is held; "" is nothing. A number below zero was given back twice.
func leftOf(held map[string]int) string {
	var left []string
	for what, n := range held {
		if n != 0 {
			left = append(left, fmt.Sprintf("%s: %d", what, n))
		}
	}
	slices.Sort(left)
	return strings.Join(left, ", ")
}
