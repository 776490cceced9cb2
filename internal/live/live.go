// Package live shows a target to people, and lets one of them act on it.
//
//	views := new(live.Views)
//	viewer, err := views.Watch("T1", live.Options{Join: join, …}, live.ViewerOptions{Send: send})
//	viewer.Receive(message) // of the person's page
//	viewer.Leave()
//
// However many people look at a target, there is one capture of it: by a Client
// within the process, which begins with the first viewer and leaves with the last.
// Messages are those of /ui/api/view, which docs/dashboard.md describes. The package
// knows no HTTP.
package live

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/relay"
)

// Client is a Client of the target's hub within the process, as relay.Local is.
type Client interface {
	Send(sessionID, method string, params []byte) (wait func(context.Context) ([]byte, error))
	Take(targetID, name string, o relay.LeaseOptions) error
	Release(targetID string) error
	ViewerGone(targetID string)
	Holds(targetID string) bool
	Leave()
}

// Join makes the Client of a view. Events go to the function, which does not block,
// and which may keep their params.
type Join func(event func(sessionID, method string, params []byte)) (Client, error)

// Info is what a target says of itself.
type Info struct {
	Title, URL string
	Drawn      bool // its pictures are drawn from its DOM: a frame
}

// Options say what a view is of.
type Options struct {
	TargetID string
	Join     Join
	// Info is the target as the viewers may see it; ok is false once it has gone.
	Info func() (i Info, ok bool)
	// Holder is who has taken over the target, if a person has. Both are asked without
	// a lock.
	Holder func() (relay.Holding, bool)
	// Quieted is the lease because of which the target is quiet, if it is: its own, or that of
	// a page that it reaches by script. It is asked without a lock. Nil: it never is.
	Quieted func() (relay.Holding, bool)
	// Watch calls changed when the holder may have changed, until stop is called.
	Watch func(changed func()) (stop func())
	Lease relay.LeaseOptions // Key, Handoff, Account and Ended are the viewer's
	// Asked reports whether an agent asks for something on the target: the person with the
	// target may take it again, for the handoff. It is asked without a lock. Nil: it never
	// is.
	Asked func() bool
	Log   *zap.Logger
}

// Views are the views of one hub. Its zero value has none and is ready to use.
type Views struct {
	mu  sync.Mutex       // guards all
	all map[string]*View `held:"views"`
}

// Watch adds a viewer to the view with that key, and begins the view if it is the
// first. The caller must call Leave, and limits how many viewers there are.
func (vs *Views) Watch(key string, o Options, w ViewerOptions) *Viewer {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v := vs.all[key]
	if v != nil {
		if viewer := v.add(w); viewer != nil {
			go v.comeBack()
			return viewer
		} // else it is ending
	}
	v = newView(o)
	v.ended = func() { vs.forget(key, v) }
	if vs.all == nil {
		vs.all = make(map[string]*View)
	}
	vs.all[key] = v
	viewer := v.add(w)
	go v.run()
	return viewer
}

// Len is the number of views.
func (vs *Views) Len() int {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return len(vs.all)
}

func (vs *Views) forget(key string, v *View) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.all[key] == v {
		delete(vs.all, key)
	}
}

// View shows one target to its viewers. Its goroutine, run, is the only one that
// waits for the target.
//
// Lock order: Views.mu, or turn and the hub's lock, then View.mu. Send of a viewer is
// called under View.mu.
type View struct {
	Options
	capture // owned by run
	input   input
	ended   func()
	wake    chan struct{} // holds an item when there is something for run to do
	turn    chan struct{} // holds an item but while the holder changes, and the hub and the target hear of it

	mu       sync.Mutex `stays:"the view goes with its last viewer"` // guards everything below
	over     bool       // it takes no more viewers
	viewers  map[*Viewer]struct{}
	holder   *Viewer // whose input is carried out; nil: none of this view
	client   Client  // nil before and after
	session  string  // "" before there is one
	news     news
	begun    func()  // to be called for a picture while the capture begins; nil when it has
	latest   picture // of the target
	info     Info
	held     relay.Holding // as the viewers were told
	isHeld   bool
	quieted  relay.Holding // because of which viewers do not see the target
	isQuiet  bool
	notified *Viewer // who was told that the lease is its own
	taken    int     // how often a viewer has taken the target over
}

func newView(o Options) *View {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	v := &View{Options: o, wake: make(chan struct{}, 1), turn: make(chan struct{}, 1), viewers: make(map[*Viewer]struct{})}
	v.turn <- struct{}{}
	v.input.v = v
	return v
}

// takeTurn waits until no other call changes the holder. Without turns, the hub could
// hear of two changes in another order than the view.
func (v *View) takeTurn() (done func()) {
	<-v.turn
	return func() { v.turn <- struct{}{} }
}

// stir wakes run. It never blocks; several calls before run looks are one.
func (v *View) stir() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// news is what events have brought, for run to read. An event runs under the hub's
// lock and can only leave it here.
type news struct {
	frame  []byte // the newest Page.screencastFrame that was not read yet
	frames int    // how many have come
	hidden *bool  // of the newest Page.screencastVisibilityChanged
	gone   string // why the session has ended
}

// event takes an event of the Client. It runs under the hub's lock and must not wait.
// It keeps params, as Join allows.
func (v *View) event(sessionID, method string, params []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if strings.HasPrefix(method, "Page.") && sessionID != v.session {
		return // of one that was given up
	}
	switch method {
	case "Page.screencastFrame":
		v.news.frame = params
		v.news.frames++
		if v.begun != nil {
			v.begun()
		}
	case "Page.screencastVisibilityChanged":
		hidden := !readVisible(params)
		v.news.hidden = &hidden
	case "Target.detachedFromTarget":
		if v.session != "" && detachedSession(params) == v.session {
			v.news.gone = "The target has gone"
		}
	case "Page.javascriptDialogOpening":
		v.dialogLocked(params)
		return
	case "Page.javascriptDialogClosed":
		v.dialogLocked(nil)
		return
	default:
		return
	}
	v.stir()
}

// late is how long the target may take to answer a command of the view.
const late = 5 * time.Second
