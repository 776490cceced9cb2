package bounds

// index finds the bound of a name. A map would read the whole name to find its place, and
// a name comes with each number of a message.
type index struct{ places [1 << 10][]entry }

type entry struct {
	name  string
	bound *Bound
}

// fill makes the index anew.
func (x *index) fill(named map[string]*Bound) {
	*x = index{}
	for name, b := range named {
		at := &x.places[placeOf(name)]
		*at = append(*at, entry{name, b})
	}
}

// find returns nil for a name without a bound.
func (x *index) find(name string) *Bound {
	for _, e := range x.places[placeOf(name)] {
		if e.name == name {
			return e.bound
		}
	}
	return nil
}

// placeOf tells most names apart by their length, and the first, the middle and the last byte.
func placeOf(name string) uint {
	n := uint(len(name))
	if n == 0 {
		return 0
	}
	return (n*173 + uint(name[0])*7 + uint(name[n/2])*61 + uint(name[n-1])*331) % (1 << 10)
}
