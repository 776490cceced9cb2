package actions

import (
	"strconv"
	"sync"
)

// Shared is what the callers of one hub have in common: the aliases of its
// pages, which page is active for those who follow, what callers without a
// connection have asked for, and what is secret on which page: who lists pages
// has mostly read none of them. Its zero value works.
type Shared struct {
	meters meters

	mu      sync.Mutex           // guards everything below
	last    int                  // the last number given to a page; none is given twice
	aliases map[string]string    // by the page's ID
	active  string               // its ID
	secrets map[string]*redactor // by the page's ID
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
	delete(s.secrets, id)
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

// secretsOf is the redactor of a page, with the secrets found so far; nil without any.
func (s *Shared) secretsOf(id string) *redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.secrets[id]
}

// learn notes secrets that have been found on a page. The next document may show
// them, so that they stay until the page goes.
func (s *Shared) learn(id string, found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, fresh := s.secrets[id].with(found)
	if !fresh || s.aliases[id] == "" { // of a page that has gone
		return
	}
	if s.secrets == nil {
		s.secrets = make(map[string]*redactor)
	}
	s.secrets[id] = r
}
