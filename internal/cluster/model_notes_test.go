//go:build !race

package cluster

// modelNote is what the directory keeps of a hub for the owner after one that dies.
type modelNote struct {
	epoch, seq int8 // of the owner that has written it, and of the directory
	there      bool // the named session
}

// modelPen is a note that a node is about to write: it has read the one before it.
type modelPen struct {
	busy  bool
	epoch int8
	after int8 // the note that it has read
}

const maxModelNotes = 3 // so that the states have an end

// notes has a node write down that it has the named session (server, writeNote), in two
// steps with anything between them (internal/cluster/nats, claim.Note): it reads the note before,
// and writes where that has not changed.
func (w modelWorld) notes(n int8, next func(string, modelWorld)) {
	switch pen := w.pens[n]; {
	case !w.noting || !w.reaches[n]:
	case pen.busy:
		v := w
		v.pens[n] = modelPen{}
		if w.note.seq == pen.after {
			v.note = modelNote{pen.epoch, pen.after + 1, w.named[n].there}
		}
		next("writes a note ", v)
	case w.note.seq == maxModelNotes || !w.named[n].there || w.note.epoch > w.held[n].epoch || w.note.there && w.note.epoch == w.held[n].epoch:
	case w.admits(w.held[n]):
		v := w
		v.pens[n] = modelPen{true, w.held[n].epoch, w.note.seq}
		next("reads the note before ", v)
	}
}

// restores gives a new owner the session of the note. No message is in a note: the Client
// hears that what it has sent is lost, and does not send it again.
func (w *modelWorld) restores(n int8) {
	w.named[n] = modelNamed{}
	if w.note.there {
		w.named[n] = modelNamed{there: true, received: true}
	}
}
