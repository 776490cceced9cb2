package ordered

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMap adds, replaces and deletes at random, and compares with a list.
func TestMap(t *testing.T) {
	var m Map[int, int]
	var keys, values []int
	for n := range 5000 {
		k := rand.IntN(20)
		at := slices.Index(keys, k)
		if rand.IntN(2) == 0 {
			if m.Delete(k) != (at >= 0) {
				t.Fatalf("Delete(%d) is wrong about whether it was there", k)
			}
			if at >= 0 {
				keys, values = slices.Delete(keys, at, at+1), slices.Delete(values, at, at+1)
			}
		} else {
			if m.Set(k, n) != (at < 0) {
				t.Fatalf("Set(%d) is wrong about whether it is new", k)
			}
			if at < 0 {
				keys, values = append(keys, k), append(values, n)
			} else {
				values[at] = n
			}
		}
		if got := slices.Collect(m.All()); m.Len() != len(keys) || !slices.Equal(got, values) {
			t.Fatalf("%d values %v, want %v", m.Len(), got, values)
		}
		v, ok := m.Get(k)
		if at = slices.Index(keys, k); ok != (at >= 0) || ok && v != values[at] {
			t.Fatalf("Get(%d) = %d, %v", k, v, ok)
		}
	}
}

func TestDeleteWhileWalking(t *testing.T) {
	var m Map[int, int]
	for i := range 10 {
		m.Set(i, i)
	}
	var got []int
	for i := range m.All() {
		got = append(got, i)
		m.Delete(i)
	}
	if len(got) != 10 || !slices.IsSorted(got) || m.Len() != 0 {
		t.Errorf("walked %v, %d are left", got, m.Len())
	}
}
