package server

import (
	"net/http"

	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// misplaced says what is wrong with an address that leads nowhere, if it is one of two
// common mistakes: the port of the other listener, or a name that no hub has.
func (s *Server) misplaced(at front.Route, known bool) string {
	if !known && at.Hub != relay.DefaultHub && !relay.ValidName(at.Hub) {
		return "No hub can have this name: use 1 to 63 of the characters a-z, 0-9 and -."
	}
	for i := range s.table {
		if e := &s.table[i]; e.Elsewhere != "" && e.LeadsFrom(at.Path) && !s.isServed(e, at.On) {
			return e.Elsewhere
		}
	}
	return ""
}

// orMisplaced serves a path that leads nowhere: with what is wrong with it where that is
// known, else as before.
func (s *Server) orMisplaced(at front.Route, known bool, otherwise http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if why := s.misplaced(at, known); why != "" {
			http.Error(w, why, http.StatusNotFound)
			return
		}
		otherwise(w, r)
	}
}
