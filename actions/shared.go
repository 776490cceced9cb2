package actions

import (
	"strconv"
	"sync"
)

// Shared is what the callers of one hub have in common: the aliases of its
// pages, which page is active for those who follow, and what callers without a
// connection have asked for. Its zero value works.
type Shared struct {
	meters meters

	mu      sync.Mutex        // guards everything below
	last    int               // the last number given to a page; none is given twice
	aliases map[string]string // by the page's ID
	active  string            // its ID
}

// alias names a page: "page-1".
func (s *Shared) alias(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aliases == nil {
		s.aliases = make(map[string]string)
	}
	name, ok := s.aliases[id]
	if !ok {
		s.last++
		name = "page-" + strconv.Itoa(s.last)
		s.aliases[id] = name
	}
	return name
}

// forget drops a page that has gone.
func (s *Shared) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.aliases, id)
	if s.active == id {
		s.active = ""
	}
}

func (s *Shared) setActive(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = id
}

func (s *Shared) activeID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}
