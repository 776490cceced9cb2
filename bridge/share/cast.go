package share

import (
	"bytes"

	"github.com/cdphub/cdphub/internal/wire"
)

// There is one screencast for all sessions, with the newest params. All of its frames have the same number, so that the
// acknowledgements are counted by session: the fastest passes, and the others just get their frames.

// cast is a screencast of a session.
type cast struct {
	params []byte
	acked  int // how many frames it has acknowledged, counted as castFrames does
}

// castFrames counts the frames of the browser.
type castFrames struct {
	sent  int `stays:"counts the frames of the browser"`
	acked int `stays:"counts those that were acknowledged"`
}

// restartFrames is for a screencast that begins anew: the browser waits for no acknowledgement any more.
func (r *realSession) restartFrames() {
	r.frames.acked = r.frames.sent
	for _, v := range r.casters() {
		v.cast.acked = r.frames.sent
	}
}

// casters are those with a screencast, the oldest first.
func (r *realSession) casters() (list []*clientSession) {
	for _, v := range r.castOrder {
		if v.cast != nil {
			list = append(list, v)
		}
	}
	return list
}

// startCastLocked is Page.startScreencast.
func (t *Tab) startCastLocked(v *clientSession, c *command) *wire.Error {
	if err := v.client.keep(len(c.params)); err != nil {
		return err
	}
	t.forgetCast(v)
	v.cast = &cast{params: bytes.Clone(c.params)}
	v.r.castOrder = append(v.r.castOrder, v)
	v.r.restartFrames()
	own := v.cast
	if len(v.r.castOrder) > 1 {
		t.haltCastLocked(v.r)
	}
	return t.forwardLocked(v, c, t.doneLocked(v, c, func(ok bool) {
		if !ok && v.cast == own {
			t.forgetCast(v)
		}
	}))
}

// forgetCast forgets the screencast of a session.
func (t *Tab) forgetCast(v *clientSession) {
	if v.cast == nil {
		return
	}
	v.client.drop(len(v.cast.params))
	v.cast = nil
	r := v.r
	r.castOrder = removeView(r.castOrder, v)
}

// endCastLocked is Page.stopScreencast. The screencast goes on with the params of the one before.
func (t *Tab) endCastLocked(v *clientSession, c *command) *wire.Error {
	if v.cast == nil && len(v.r.casters()) > 0 {
		t.browserFenceLocked(v, c, nil)
		return nil
	}
	t.forgetCast(v)
	if list := v.r.casters(); len(list) > 0 {
		v.r.restartFrames()
		t.haltCastLocked(v.r)
		t.fenceByLocked(v, c, "Page.startScreencast", list[len(list)-1].cast.params, nil)
		return nil
	}
	return t.forwardLocked(v, c, nil)
}

// stopCastLocked ends the screencast of a session that ends.
func (t *Tab) stopCastLocked(v *clientSession) {
	if v.cast == nil {
		return
	}
	t.forgetCast(v)
	t.haltCastLocked(v.r)
	t.replayCastLocked(v.r)
}

// replayCastLocked starts the screencast of the newest anew.
func (t *Tab) replayCastLocked(r *realSession) {
	if list := r.casters(); len(list) > 0 {
		r.restartFrames()
		t.ownLocked(r, "Page.startScreencast", list[len(list)-1].cast.params)
	}
}

// haltCastLocked stops the screencast, before another one: Chromium 156 that is to start a second one before the first
// frame sends no frames at all.
func (t *Tab) haltCastLocked(r *realSession) { t.ownLocked(r, "Page.stopScreencast", wire.Empty) }

// frameLocked passes on a frame.
func (t *Tab) frameLocked(r *realSession, params []byte) {
	r.frames.sent++
	list := r.casters()
	for _, v := range list {
		t.deliverLocked(v, "Page.screencastFrame", params)
	}
	if len(list) == 0 { // it was under way when the last one stopped
		r.frames.acked++
		t.ownLocked(r, "Page.screencastFrameAck", withMember(wire.Empty, "sessionId", valueOf(params, "sessionId")))
	}
}

func (t *Tab) castVisibilityLocked(r *realSession, params []byte) {
	for _, v := range r.casters() {
		t.deliverLocked(v, "Page.screencastVisibilityChanged", params)
	}
}

// ackLocked is Page.screencastFrameAck: the browser gets one for each frame, from the first that sends it.
func (t *Tab) ackLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	if v.cast == nil || v.cast.acked >= r.frames.sent {
		t.browserFenceLocked(v, c, nil)
		return nil
	}
	if v.cast.acked++; v.cast.acked <= r.frames.acked {
		t.browserFenceLocked(v, c, nil)
		return nil
	}
	r.frames.acked = v.cast.acked
	return t.forwardLocked(v, c, nil)
}
