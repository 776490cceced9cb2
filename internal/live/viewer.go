package live

import (
	"errors"
	"slices"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay"
)

// ViewerOptions say who looks.
type ViewerOptions struct {
	Name string // for others to read
	Key  string // the same for the same person: see relay.LeaseOptions
	// Handoff and Account are those of relay.LeaseOptions.
	Handoff, Account string
	// Reads reports whether the viewer may see what another person does during a handoff. Nil:
	// it may not.
	Reads func(relay.Holding) bool
	// Is reports whether the holder is this person, maybe in another window, which the person
	// may change. Nil: it is not.
	Is func(relay.Holding) bool
	// Control says that the viewer may act on the target.
	Control bool
	// Sees reports whether the viewer may still see the target. It is asked without a
	// lock. Nil: it always may.
	Sees func() bool
	// Send sends a message, JSON, and after it, if it is not nil, a picture as one
	// binary message. It does not block, and reports whether the viewer is still there.
	// The bytes are the same for all viewers: Send may keep them, and must not change them.
	Send func(message, picture []byte) bool
	// Gone is called once, after the last message, when the target has gone. It does
	// not block.
	Gone func()
	// Leased is called when the viewer has taken over the target, and what it returns
	// when that has ended. It may be nil.
	Leased func() (ended func(relay.LeaseEnd))
	// Answer ends the handoff of the target, as done or as cancelled. Nil: the viewer
	// may not.
	Answer func(done bool) error
}

// maxInFlight is how many pictures are on their way to a viewer without an
// acknowledgement.
const maxInFlight = 2

// Viewer is one person in front of a view. View.mu guards it.
type Viewer struct {
	ViewerOptions
	view *View
	left bool

	wants    size
	inFlight []int64   // the numbers of the pictures without an acknowledgement
	sent     int64     // the number of the newest picture that was sent; 0 is none
	next     time.Time // before which it wants no other

	ended func(relay.LeaseEnd) // for the lease that it has, or had last
}

// size is what a viewer has room for.
type size struct {
	width, height int // of a picture, in its pixels
	fps           float64
}

var (
	usual   = size{1280, 800, 10} // of a viewer that has not said
	largest = size{3840, 2160, 30}
)

const fewest = 1.0 / 60 // pictures per second: the time between two must fit a Duration

// add adds a viewer. It returns nil while the view is ending.
func (v *View) add(o ViewerOptions) *Viewer {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		return nil
	}
	w := &Viewer{ViewerOptions: o, view: v, wants: usual}
	v.viewers[w] = struct{}{}
	if v.client != nil { // else run does it
		w.greetLocked()
	}
	v.stir()
	return w
}

// greetLocked tells a new viewer what the view shows and who has the target.
func (w *Viewer) greetLocked() {
	w.tellInfoLocked()
	w.tellHolderLocked()
}

// blindLocked reports whether another person does in a handoff what this viewer may not see.
func (w *Viewer) blindLocked() bool {
	v := w.view
	return v.isQuiet && v.holder != w && (w.Reads == nil || !w.Reads(v.quieted))
}

// Leave ends the viewer. If it has the lease, the hub keeps the lease for some time,
// for the same person to come back.
func (w *Viewer) Leave() {
	if w.leave() {
		w.view.comeBack() // the same person may look already, from a page that was loaded again
	}
}

// leave is Leave in one turn, and reports whether the viewer had the lease.
func (w *Viewer) leave() (had bool) {
	v := w.view
	defer v.takeTurn()()
	v.mu.Lock()
	if w.left {
		v.mu.Unlock()
		return false
	}
	w.left = true
	delete(v.viewers, w)
	var lets Client
	if v.holder == w {
		v.holder, lets = nil, v.client
	}
	if len(v.viewers) == 0 {
		v.over = true
	}
	v.mu.Unlock()
	if lets != nil {
		v.input.release()
		lets.ViewerGone(v.TargetID)
	}
	v.stir()
	return lets != nil
}

// size sets what the viewer has room for from now on. It is limited to largest.
func (w *Viewer) size(m *message) error {
	v := w.view
	if !(m.Width >= 1 && m.Height >= 1 && m.FPS > 0) {
		return errors.New("a size has a width, a height and pictures per second (fps), all above 0")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	w.wants = size{int(min(m.Width, float64(largest.width))), int(min(m.Height, float64(largest.height))), min(max(m.FPS, fewest), largest.fps)}
	w.next = time.Time{}
	v.stir()
	return nil
}

// ack acknowledges a picture and all before it. Pictures may be acknowledged in any
// order.
func (w *Viewer) ack(seq int64) {
	v := w.view
	v.mu.Lock()
	defer v.mu.Unlock()
	w.inFlight = slices.DeleteFunc(w.inFlight, func(n int64) bool { return n <= seq })
	v.stir()
}

// ready reports whether the viewer can take a picture: now, or after how long.
func (w *Viewer) ready(now time.Time) (ok bool, after time.Duration) {
	switch {
	case len(w.inFlight) >= maxInFlight:
		return false, 0
	case now.Before(w.next):
		return false, w.next.Sub(now)
	}
	return true, 0
}

// showLocked sends the viewer the newest picture, if it has not had it, and may see it.
func (w *Viewer) showLocked(p *picture, now time.Time) (after time.Duration) {
	if p.seq == 0 || p.seq == w.sent || w.blindLocked() {
		return 0
	}
	ok, after := w.ready(now)
	if !ok {
		return after
	}
	w.inFlight, w.sent = append(w.inFlight, p.seq), p.seq
	w.next = now.Add(time.Duration(float64(time.Second) / w.wants.fps))
	w.Send(p.head, p.data)
	return 0
}

// take takes over the target for the viewer. Errors are for the viewer to read.
func (w *Viewer) take() error {
	v := w.view
	defer v.takeTurn()()
	v.mu.Lock()
	client, session, holder := v.client, v.session, v.holder
	v.mu.Unlock()
	switch {
	case !w.Control:
		return errors.New("not allowed: a token needs scope standard or more to act on pages")
	case !w.sees():
		return errBlind
	case client == nil || session == "":
		return errors.New("the view has not begun: try again")
	case holder == w && !v.asks():
		return nil
	case holder != nil && holder != w && !w.isHolder(): // a person may change the window
		return wire.ServerError(advice.PausedBy(holder.Name)).Advise(advice.TakenOver.String())
	}
	return w.takeWith(client, session)
}

// isHolder reports whether the person of the viewer has the target, maybe in another window.
func (w *Viewer) isHolder() bool {
	held, isHeld := w.view.Holder()
	return isHeld && w.Is != nil && w.Is(held)
}

// takeWith takes over the target with the Client of the view. It is called in a turn. Without
// a session yet, begin goes on with it.
func (w *Viewer) takeWith(client Client, session string) error {
	v := w.view
	v.mu.Lock()
	holder := v.holder
	v.mu.Unlock()
	if holder != nil && holder != w {
		w.ended = holder.ended // it is the same takeover
	}
	if err := client.Take(v.TargetID, w.Name, w.lease(holder != nil)); err != nil {
		return err
	}
	if !w.sees() { // a handoff, for instance, has just ended
		client.Release(v.TargetID) //nolint:errcheck // it may have ended by itself
		return errBlind
	}
	v.mu.Lock()
	// The viewer may have left while the hub was asked.
	gone := w.left
	if v.taken++; !gone {
		v.holder = w
	}
	v.mu.Unlock()
	if gone {
		client.ViewerGone(v.TargetID)
		return nil
	}
	if holder != nil && holder != w {
		v.input.release()
	}
	if session != "" {
		v.input.begin(session)
	}
	v.stir()
	return nil
}

// comeBack gives the target to a viewer who has lost the connection with it in a handoff, such
// as by a reload: to everybody else, also to a new view, the target is quiet.
func (v *View) comeBack() {
	defer v.takeTurn()()
	held, isHeld := v.Holder()
	if !isHeld || !held.Quiet || held.Key == "" {
		return
	}
	v.mu.Lock()
	client, session := v.client, v.session
	var back *Viewer
	for w := range v.viewers {
		if w.Key == held.Key && w.Control {
			back = w
		}
	}
	free := client != nil && v.holder == nil
	v.mu.Unlock()
	if free && back != nil && back.sees() {
		_ = back.takeWith(client, session) // another view may have it: the viewer is told who has it
	}
}

// lease are the options of the viewer's lease. For a lease that it has already, the end is reported once.
func (w *Viewer) lease(again bool) relay.LeaseOptions {
	o := w.view.Lease
	o.Key, o.Handoff, o.Account = w.Key, w.Handoff, w.Account
	if !again {
		w.ended = func(relay.LeaseEnd) {}
		if w.Leased != nil {
			w.ended = w.Leased()
		}
	}
	ended := w.ended
	o.Ended = func(why relay.LeaseEnd) { // under the hub's lock
		go ended(why)
		w.view.stir()
	}
	return o
}

// asks reports whether an agent asks for something on the target.
func (v *View) asks() bool { return v.Asked != nil && v.Asked() }

// answer ends the handoff of the target, and gives the target back if the viewer has it.
func (w *Viewer) answer(done bool) error {
	if w.Answer == nil {
		return errors.New("not allowed: a token needs scope standard or more to answer an agent")
	}
	if err := w.Answer(done); err != nil {
		return err
	}
	if err := w.release(); err != nil && !errors.Is(err, errNotHolder) {
		return err
	}
	return nil
}

var errBlind = errors.New("you may no longer see this target")

// sees reports whether the viewer may still see the target. The view finds out only from
// time to time (dropBlind).
func (w *Viewer) sees() bool { return w.Sees == nil || w.Sees() }

var errNotHolder = errors.New("take over the page first: a viewer cannot act on it")

// release hands the target back to its Clients.
func (w *Viewer) release() error {
	v := w.view
	defer v.takeTurn()()
	v.mu.Lock()
	client := v.client
	if v.holder != w || client == nil {
		v.mu.Unlock()
		return errNotHolder
	}
	v.holder = nil
	v.mu.Unlock()
	v.input.release()
	err := client.Release(v.TargetID)
	v.stir()
	if errors.Is(err, relay.ErrNotHeld) { // it has just ended by itself
		return nil
	}
	return err
}

// holds returns the Client and the session if the viewer has the lease, also by what
// the hub says.
func (w *Viewer) holds() (Client, string, error) {
	v := w.view
	v.mu.Lock()
	client, session, holder := v.client, v.session, v.holder
	v.mu.Unlock()
	if holder != w || client == nil || !client.Holds(v.TargetID) {
		return nil, "", errNotHolder
	}
	return client, session, nil
}
