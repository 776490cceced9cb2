package actions

import (
	"slices"
	"strconv"
	"sync"
)

// Shared is what the callers of one hub have in common: the aliases of its pages, the
// active page of those who follow, the meters of callers without a connection, and
// the secrets and element ids of each page. Secrets are shared, since a caller that lists pages has
// read none of them, and their titles could tell the secrets. Its zero value works.
//
// Lock order: Shared.mu comes after Browser.mu and Page.mu.
type Shared struct {
	meters meters

	mu      sync.Mutex           `stays:"goes with its hub"` // guards everything below
	last    int                  // the last number given to a page; none is given twice
	aliases map[string]string    // by the page's ID
	active  string               // its ID
	secrets map[string]*redactor // by the page's ID
	ids     map[string]*pageIDs  // by the page's ID
}

// pageIDs are the numbers of the ids that SnapshotTagged has written into the documents
// of a page. All callers share the documents, and so the ids.
type pageIDs struct {
	pool numberPool
	of   map[string][]span // by the loader of the document
}

// maxDocuments is of how many documents of a page the ids are remembered.
const maxDocuments = 16

// idsOf lists the numbers that are ids in a document; with reserve, the last span is new.
func (s *Shared) idsOf(page, loader string, reserve int) []span {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.ids[page]
	if p == nil {
		p = &pageIDs{of: make(map[string][]span)}
		if s.ids == nil {
			s.ids = make(map[string]*pageIDs)
		}
		if s.aliases[page] != "" { // else it has gone
			s.ids[page] = p
		}
	}
	if reserve > 0 {
		if len(p.of) >= maxDocuments && p.of[loader] == nil {
			clear(p.of)
		}
		p.of[loader] = append(p.of[loader], p.pool.reserve(reserve))
	}
	return slices.Clone(p.of[loader])
}

// settleIDs takes back the numbers of a span that were not used.
func (s *Shared) settleIDs(page, loader string, given span, used int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.ids[page]; p != nil {
		p.of[loader] = replaceSpan(p.of[loader], given, p.pool.settle(given, used))
	}
}

// alias names a page: "page-1". It is the same for all callers of the hub, and the
// number is never used again: an alias that an agent remembers does not come to mean
// another page.
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

// forget drops a page that has gone. Its number stays used.
func (s *Shared) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.aliases, id)
	delete(s.secrets, id)
	delete(s.ids, id)
	if s.active == id {
		s.active = ""
	}
}

// setActive makes a page the active one of those who follow.
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

// learn notes secrets that have been found on a page. They stay until the page goes:
// the next document may show what was typed into the last one (redactor.hideEarlier).
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
