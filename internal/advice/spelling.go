package advice

import (
	"slices"
	"strings"
	"unicode"
)

// DidYouMean ends a message about a name that does not exist: `; did you mean "page.click"?`, or "" where
// no known name is near.
func DidYouMean(name string, known []string) string {
	if near := nearestName(name, known); near != "" {
		return `; did you mean "` + near + `"?`
	}
	return ""
}

// nearestName finds the known name that was meant, "" if none is near or several are. It is the one with
// the fewest letters off, as Misspelled allows for its last part, else the only one whose last part is
// the name (click for page.click), else the only one that ends with the name or that ends the name.
func nearestName(name string, known []string) string {
	const longest = 200 // no name is longer
	given := lettersOf(name[:min(len(name), longest)])
	if given == "" {
		return ""
	}
	nearest, least := "", 3
	var ends, parts []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		letters, last := lettersOf(k), lettersOf(k[strings.LastIndexAny(k, "./_")+1:])
		if far := EditDistance(given, letters); far < least && Misspelled(last, far) {
			nearest, least = k, far
		}
		if last == given {
			ends = append(ends, k)
		}
		if strings.HasSuffix(letters, given) || strings.HasSuffix(given, letters) {
			parts = append(parts, k)
		}
	}
	switch {
	case nearest != "":
		return nearest
	case len(ends) == 1:
		return ends[0]
	case len(parts) == 1:
		return parts[0]
	}
	return ""
}

// lettersOf is a name without what separates its words, in lower case.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Misspelled reports whether a name that is so many letters off may be this one: one letter where it
// has five or less, else two.
func Misspelled(known string, far int) bool { return far <= 1 || far == 2 && len(known) > 5 }

// EditDistance is how many letters must be added, left out, changed, or exchanged with the next one
// to make b of a (optimal string alignment distance). More than 2 are 3.
func EditDistance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last = last, next
	}
	return min(last[len(b)], 3)
}
