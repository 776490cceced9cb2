package live

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
)

// capture is a running Page.startScreencast. Chromium 156 sends a picture of each
// frame that it paints, until three are without an acknowledgement, and drops the
// pictures after those: the last state of a page might never be shown. So when no
// picture comes after an acknowledgement, the capture is begun anew, which sends one
// picture at once.
//
// If a tab is hidden, Chromium sends one old picture, and
// Page.screencastVisibilityChanged. Such a tab is captured by Page.captureScreenshot.
// The page stays hidden to itself meanwhile: it gets no visibilitychange, and no
// other tab leaves the front.

// capture is the state of the pictures of a view. Its goroutine owns it.
type capture struct {
	cast    size      // that was asked for; zero before
	inUse   bool      // it was asked for while a viewer had the target
	unacked int       // pictures without an acknowledgement
	ack     []byte    // the params that acknowledge one
	shown   time.Time // when the newest picture came
	check   time.Time // when to begin anew if none has come; zero: not
	hidden  bool
	asked   time.Time // when the target was asked for its title
	seq     int64
}

const (
	quality     = 60 // of JPEG
	saturated   = 3  // pictures after which Chromium drops others
	patience    = 250 * time.Millisecond
	slowest     = time.Second // between pictures of a hidden tab
	titlesEvery = time.Second
	attaching   = 3 * time.Second // until another session takes the place of one that does not answer
)

// run shows the target until there is no viewer any more, or the target has gone. It is the
// only goroutine that waits for the target.
func (v *View) run() {
	defer v.ended()
	stop := v.Watch(v.stir)
	defer stop()
	why := v.begin()
	for why == nil {
		var next time.Duration
		if next, why = v.step(time.Now()); why != nil {
			// Watch, events and viewers wake it earlier.
			break
		}
		timer := time.NewTimer(next)
		select {
		case <-v.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	v.finish(why)
}

var errNobody = errors.New("nobody looks")

// finish tells the viewers why the view has ended, and leaves the hub. It waits for
// the goroutines of the input.
func (v *View) finish(why error) {
	v.mu.Lock()
	v.over = true
	client, viewers := v.client, v.viewers
	v.client, v.viewers, v.holder = nil, nil, nil
	for w := range viewers {
		w.left = true
		w.sendLocked(textMessage{"gone", why.Error()})
	}
	v.mu.Unlock()
	for w := range viewers {
		if w.Gone != nil {
			w.Gone()
		}
	}
	if client != nil {
		client.Leave()
	}
	v.input.wait()
}

// begin joins the hub, attaches to the target and starts the capture. Chromium 156
// has sessions that never answer if they are made while a document is being
// committed; after attaching without an answer, begin makes another.
func (v *View) begin() error {
	info, ok := v.Info()
	if !ok {
		return errors.New("The target does not exist") //nolint:staticcheck // people read it
	}
	client, err := v.Join(v.event)
	if err != nil {
		return err
	}
	v.mu.Lock()
	v.client, v.info = client, info
	for w := range v.viewers {
		w.greetLocked()
	}
	v.mu.Unlock()
	v.asked = time.Now()
	v.comeBack()
	for tries := 0; ; tries++ {
		var made struct{ SessionID string }
		if err := v.call("", "Target.attachToTarget", object{"targetId": v.TargetID, "flatten": true}, &made, late); err != nil {
			return err
		}
		v.mu.Lock()
		v.session = made.SessionID
		taken := v.holder != nil
		v.mu.Unlock()
		if taken {
			v.input.begin(made.SessionID)
		}
		err := v.start()
		if !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if tries == 2 { // the page hangs: it is shown when it answers
			return nil
		}
		v.mu.Lock()
		v.session = ""
		v.mu.Unlock()
		v.send("", "Target.detachFromTarget", object{"sessionId": made.SessionID})
	}
}

type object = map[string]any

// call sends a command and waits for its answer, at most within. result may be nil.
func (v *View) call(session, method string, params, result any, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	out, err := v.send(session, method, params)(ctx)
	if err != nil || result == nil {
		return err
	}
	return wire.Decode(out, result)
}

// send sends a command. A caller that does not want the answer need not call wait.
func (v *View) send(session, method string, params any) (wait func(context.Context) ([]byte, error)) {
	text, err := json.Marshal(params)
	if err != nil {
		return func(context.Context) ([]byte, error) { return nil, err }
	}
	v.mu.Lock()
	client := v.client
	v.mu.Unlock()
	if client == nil {
		return func(context.Context) ([]byte, error) { return nil, errNobody }
	}
	return client.Send(session, method, text)
}

// start begins the capture, or begins it anew. A page that shows a dialog does not
// answer, but sends pictures (Chromium 156): the first picture also ends the wait.
func (v *View) start() error {
	if v.cast.width > 0 { // Chromium 156 changes nothing about one that runs
		v.send(v.session, "Page.stopScreencast", object{})
	}
	v.cast, _, _ = v.wants(time.Now())
	v.unacked, v.check = 0, time.Time{}
	v.inUse = v.drawnInUse()
	params := object{"format": "jpeg", "quality": quality, "maxWidth": v.cast.width, "maxHeight": v.cast.height}
	if v.inUse {
		params["inUse"] = true // the Frame Agent's own: web/src/shot/screencast.ts
	}
	wait := v.send(v.session, "Page.startScreencast", params)
	ctx, cancel := context.WithTimeout(context.Background(), attaching)
	defer cancel()
	v.mu.Lock()
	v.begun = cancel
	v.mu.Unlock()
	_, err := wait(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.begun = nil
	// Pictures come: the answer does not matter.
	if v.news.frames > 0 {
		return nil
	}
	return err
}

// wants is the largest size and rate that viewers want, and whether any of them can
// take a picture now. If none can, after is how long until one can; 0 means that only
// an acknowledgement helps.
func (v *View) wants(now time.Time) (most size, ready bool, after time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	most = size{1, 1, 0}
	for w := range v.viewers {
		most.width, most.height, most.fps = max(most.width, w.wants.width), max(most.height, w.wants.height), max(most.fps, w.wants.fps)
		ok, wait := w.ready(now)
		ready = ready || ok
		if wait > 0 && (after == 0 || wait < after) {
			after = wait
		}
	}
	return most, ready, after
}

// step does what there is to do, and returns how long it may rest. An error is why
// the view ends.
func (v *View) step(now time.Time) (next time.Duration, err error) {
	if err := v.read(now); err != nil {
		return 0, err
	}
	next = titlesEvery
	sooner := func(d time.Duration) {
		if d > 0 && d < next {
			next = d
		}
	}
	sooner(v.show(now))
	want, ready, after := v.wants(now)
	sooner(after)
	switch {
	case !ready: // a slow viewer costs the target nothing
	case want.width != v.cast.width || want.height != v.cast.height, v.inUse != v.drawnInUse():
		return next, v.lasting(v.start())
	case v.hidden:
		sooner(v.shoot(now, want))
	default:
		after, err := v.pace(now, want)
		sooner(after)
		return next, err
	}
	return next, nil
}

// drawnInUse reports whether a person acts in pictures that are drawn by script: they then have
// half of the page's time.
func (v *View) drawnInUse() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.info.Drawn && v.holder != nil
}

// pace acknowledges pictures at the rate that viewers want: Chromium sends the next
// one only then.
func (v *View) pace(now time.Time, want size) (after time.Duration, err error) {
	every := time.Duration(float64(time.Second) / want.fps)
	switch due := v.shown.Add(every); {
	case v.unacked > 0 && now.Before(due):
		return due.Sub(now), nil
	case v.unacked >= saturated:
		v.acknowledge()
		if !v.info.Drawn { // the Frame Agent drops nothing
			v.check = now.Add(patience)
		}
	case v.unacked > 0 && v.check.IsZero():
		for v.unacked > 0 {
			v.acknowledge()
		}
	}
	switch {
	case v.check.IsZero():
		return 0, nil
	case now.Before(v.check):
		return v.check.Sub(now), nil
	}
	return 0, v.lasting(v.start())
}

func (v *View) acknowledge() {
	v.unacked--
	v.mu.Lock()
	client := v.client
	v.mu.Unlock()
	client.Send(v.session, "Page.screencastFrameAck", v.ack)
}

// lasting returns an error that must end the view, and nil for one that can pass,
// such as a page that hangs.
func (v *View) lasting(err error) error {
	if e := new(wire.Error); errors.As(err, &e) && e.Code != wire.CodeNoSession {
		v.Log.Debug("the target makes no pictures", zap.Error(err))
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) { // a page that hangs
		return nil
	}
	return err
}

// read takes what events have brought, and asks for the holder, the title and the
// address of the target.
func (v *View) read(now time.Time) error {
	v.mu.Lock()
	n := v.news
	v.news = news{}
	nobody := len(v.viewers) == 0
	v.over = v.over || nobody
	taken := v.taken
	v.mu.Unlock()
	switch {
	case nobody:
		return errNobody
	case n.gone != "":
		return errors.New(n.gone)
	case n.hidden != nil:
		v.hidden = *n.hidden
	}
	held, isHeld := v.Holder()
	v.tellHolder(held, isHeld, taken)
	v.noteQuiet()
	if isHeld && held.Quiet { // another view may have let the target go just now
		v.comeBack()
	}
	if v.unacked += n.frames; n.frame != nil {
		v.shown, v.check = now, time.Time{}
		v.frame(n.frame)
	}
	if now.Sub(v.asked) < titlesEvery {
		return nil
	}
	v.asked = now
	info, ok := v.Info()
	if !ok {
		return errors.New("The target has gone") //nolint:staticcheck // people read it
	}
	v.tellInfo(info)
	v.dropBlind()
	return nil
}

// dropBlind ends viewers who may not see the target any more, such as after their
// token was revoked. Sees is called without the lock.
func (v *View) dropBlind() {
	v.mu.Lock()
	list := slices.Collect(maps.Keys(v.viewers))
	v.mu.Unlock()
	for _, w := range list {
		if w.sees() {
			continue
		}
		v.mu.Lock()
		w.sendLocked(textMessage{"gone", "You may no longer see this target"})
		v.mu.Unlock()
		w.Leave()
		if w.Gone != nil {
			w.Gone()
		}
	}
}
