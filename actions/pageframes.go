package actions

import (
	"strconv"
	"strings"
)

// pageFrames are the sessions and scripts of the frames of a page. Page.mu guards them.
type pageFrames struct {
	chosen   string            // where locators look: a frame's id; "" is the main frame
	sessions map[string]string // of the frames in other processes, by frame id
	worlds   map[string]*world // by frame id
}

// clear is for another document in the main frame: the frames of the last one mean nothing
// any more.
func (f *pageFrames) clear() {
	clear(f.worlds)
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

// find is the frame in which a locator is looked for. A ref such as e12 is known to the script
// that has its number. Every other locator is looked for in the frame that SetFrame has
// chosen.
func (f *pageFrames) find(q query) string {
	if q.By != string(YAML) {
		return f.chosen
	}
	n, _ := strconv.Atoi(q.Value[strings.LastIndexByte(q.Value, 'e')+1:])
	for frame, w := range f.worlds {
		if containsNumber(w.numbers, n) {
			return frame
		}
	}
	return f.chosen
}
