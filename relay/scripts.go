package relay

import "time"

// Limits on the scripts that a Host leaves at its hub.
const (
	maxScripts    = 64
	maxScriptSize = 1 << 20 // bytes
	maxScriptKey  = 128     // bytes
	scriptLife    = 10 * time.Second
)

// scripts are sources that a Frame Agent may fetch once each: where a page's
// policy forbids eval, it may still allow scripts from the hub.
type scripts struct {
	byKey map[string]script
}

// script is one source. It is kept for 10 s at most.
type script struct {
	source  string
	expires time.Time
}

// TakeScript returns a source that a Host has left under key less than 10 s ago, and
// removes it. A source is given out once: whoever knows the key later gets
// nothing.
func (h Control) TakeScript(key string) (source string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sides.list {
		if source, ok = s.scripts.take(key, time.Now()); ok {
			break
		}
	}
	return source, ok
}

// put reports whether there was room. Scripts that have expired make room first.
func (s *scripts) put(key, source string, now time.Time) bool {
	for k, old := range s.byKey {
		if now.After(old.expires) {
			delete(s.byKey, k)
		}
	}
	if _, taken := s.byKey[key]; taken || len(s.byKey) >= maxScripts {
		return false
	}
	if s.byKey == nil {
		s.byKey = make(map[string]script)
	}
	s.byKey[key] = script{source, now.Add(scriptLife)}
	return true
}

// take removes a source and returns it, unless it has expired.
func (s *scripts) take(key string, now time.Time) (string, bool) {
	found, ok := s.byKey[key]
	delete(s.byKey, key)
	return found.source, ok && !now.After(found.expires)
}

// clear drops all sources, when their Host has gone.
func (s *scripts) clear() { s.byKey = nil }
