package harness

import "slices"

// Median is the one in the middle of what was measured, which must not be empty. It
// sorts the list.
func Median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
