package quota

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Payer is whose part something counts for: the bearer of a token. What was made on
// behalf of a token counts for the token, such as a sandbox with its own token, or the
// guest of a handoff. The zero value is the process itself, and everybody where no
// tokens are needed.
type Payer struct {
	ID   string // is the same for the same token, and does not reveal it
	Name string // for people and metrics
	// Limits are what the Payer may have at most, whatever is free. They hold for each
	// Pool of a resource: for each hub, or for the process. A missing one is no limit.
	Limits Limits
}

// Limits are limits of one token: "browsers=2 tabs=20", by the names in the Table and sorted,
// so that Payers can be compared. "" is no limit.
type Limits string

// ReadLimits reads limits as files and claims spell them, such as {"browsers":2}. A limit of
// 0 allows nothing. A resource of which nothing is refused has no limit.
func ReadLimits(named map[string]int64) (Limits, error) {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		switch {
		case !slices.Contains(limitNames(), name):
			return "", fmt.Errorf("limits has %q: use only %s", name, strings.Join(limitNames(), ", "))
		case named[name] < 0:
			return "", fmt.Errorf("the limit of %s is %d: set 0 or more", name, named[name])
		}
		list = append(list, fmt.Sprint(name, "=", named[name]))
	}
	return Limits(strings.Join(list, " ")), nil
}

// Named is the argument of ReadLimits; nil for no limits.
func (l Limits) Named() (named map[string]int64) {
	for one := range strings.FieldsSeq(string(l)) {
		if named == nil {
			named = make(map[string]int64)
		}
		name, text, _ := strings.Cut(one, "=")
		named[name], _ = strconv.ParseInt(text, 10, 64) // as ReadLimits has written it
	}
	return named
}

// of is the limit of a resource, and the largest number where there is none.
func (l Limits) of(r Resource) int64 {
	if n, limited := l.Named()[Table[r].Name]; limited {
		return n
	}
	return math.MaxInt64
}

// Covers reports whether limits allow all that older ones did.
func (l Limits) Covers(old Limits) bool {
	before := old.Named()
	for name, n := range l.Named() {
		if most, limited := before[name]; !limited || n < most {
			return false
		}
	}
	return true
}

// limitNames lists the names of the resources that ReadLimits takes.
func limitNames() (names []string) {
	for _, row := range Table {
		if !row.Evicts {
			names = append(names, row.Name)
		}
	}
	return names
}

type payerKey struct{}

// NewContext is ctx for what is done on behalf of a Payer.
func NewContext(ctx context.Context, p Payer) context.Context {
	return context.WithValue(ctx, payerKey{}, p)
}

// FromContext is on whose behalf something is done.
func FromContext(ctx context.Context) Payer {
	p, _ := ctx.Value(payerKey{}).(Payer)
	return p
}
