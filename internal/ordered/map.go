// Package ordered has a map that keeps the order in which its keys were added.
package ordered

import "iter"

// Map finds values by key, and walks them in the order in which their keys were
// added. Adding, finding and deleting take constant time, so that to delete all
// of them, one by one, takes a time that grows with their number alone. The zero
// value is empty. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	byKey       map[K]*item[K, V] `held:"entries"`
	first, last *item[K, V]
}

type item[K comparable, V any] struct {
	key        K
	value      V
	prev, next *item[K, V]
}

// Set adds a value, or replaces the one of that key, which keeps its place. It
// reports whether the key is new.
func (m *Map[K, V]) Set(k K, v V) (added bool) {
	if i := m.byKey[k]; i != nil {
		i.value = v
		return false
	}
	if m.byKey == nil {
		m.byKey = make(map[K]*item[K, V])
	}
	i := &item[K, V]{key: k, value: v, prev: m.last}
	if m.last == nil {
		m.first = i
	} else {
		m.last.next = i
	}
	m.last, m.byKey[k] = i, i
	return true
}

// Get finds the value of a key.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	i := m.byKey[k]
	if i == nil {
		return v, false
	}
	return i.value, true
}

// Delete removes a key, and reports whether it was there.
func (m *Map[K, V]) Delete(k K) bool {
	i := m.byKey[k]
	if i == nil {
		return false
	}
	delete(m.byKey, k)
	if i.prev == nil {
		m.first = i.next
	} else {
		i.prev.next = i.next
	}
	if i.next == nil {
		m.last = i.prev
	} else {
		i.next.prev = i.prev
	}
	return true
}

// Len is the number of keys.
func (m *Map[K, V]) Len() int { return len(m.byKey) }

// All walks the values in their order. The current one may be deleted during the
// walk. Values that are added during the walk are reached, too.
func (m *Map[K, V]) All() iter.Seq[V] {
	return func(yield func(V) bool) {
		for i := m.first; i != nil; i = i.next {
			if !yield(i.value) {
				return
			}
		}
	}
}
