package actions

import "strings"

// pageFrames are the sessions and scripts of the frames of a page. Page.mu guards them.
type pageFrames struct {
	chosen   string            // where locators look: a frame's id; "" is the main frame
	sessions map[string]string // of the frames in other processes, by frame id
	worlds   map[string]*world // by frame id
	refs     map[string]string // frames with scripts of their own, by what the refs in them begin with
}

// clear is for another document in the main frame: frames and refs of the last one mean nothing
// any more.
func (f *pageFrames) clear() {
	clear(f.worlds)
	clear(f.refs)
	f.chosen = ""
}

// attach notes the session of a frame in another process, and reports whether there was room. The
// script in the frame's last process is of no use any more.
func (f *pageFrames) attach(frame, session string) bool {
	if len(f.sessions) >= maxFrames {
		return false
	}
	f.sessions[frame] = session
	delete(f.worlds, frame)
	return true
}

// detach forgets a session that has ended.
func (f *pageFrames) detach(session string) {
	for frame, s := range f.sessions {
		if s == session {
			delete(f.sessions, frame)
			delete(f.worlds, frame)
		}
	}
}

// forget forgets a frame that has gone.
func (f *pageFrames) forget(frame string) {
	delete(f.worlds, frame)
	delete(f.sessions, frame)
	if f.chosen == frame {
		f.chosen = ""
	}
}

// find is the frame in which a locator is looked for. A ref such as f1e12 names
// its frame: the longest prefix wins, since frames nest (f1f2e3). Every other locator
// is looked for in the frame that SetFrame has chosen.
func (f *pageFrames) find(q query) string {
	best := ""
	if q.By == string(YAML) {
		for above := range f.refs {
			if rest, ok := strings.CutPrefix(q.Value, above); ok && rest != "" && (rest[0] == 'e' || rest[0] == 'f') && len(above) > len(best) {
				best = above
			}
		}
	}
	if best != "" {
		return f.refs[best]
	}
	return f.chosen
}
