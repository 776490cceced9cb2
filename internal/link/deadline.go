package link

import "time"

// deadline is one of a net.Conn, whose clock stands while the link is lost: the
// other end cannot be late meanwhile.
type deadline struct {
	at      time.Time // zero for none
	since   time.Time // when it was set
	expired bool      // it was over when it was set: it holds on a lost link, too
	timer   *time.Timer
}

// set sets the deadline; wake is called when it may be over.
func (d *deadline) set(at time.Time, lost bool, wake func()) {
	d.stop()
	d.at, d.since = at, time.Now()
	d.expired = !at.IsZero() && !d.since.Before(at)
	if !lost {
		d.arm(wake)
	}
}

// arm starts the timer.
func (d *deadline) arm(wake func()) {
	if !d.at.IsZero() && !d.expired {
		d.timer = time.AfterFunc(time.Until(d.at), wake)
	}
}

// stop ends the timer. The deadline stays.
func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

// resume goes on after a loss. The time that the link was lost does not count; nor does the
// part of it before the deadline was set.
func (d *deadline) resume(lost time.Time, wake func()) {
	if d.at.IsZero() || d.expired {
		return
	}
	from := lost
	if d.since.After(lost) {
		from = d.since
	}
	d.at = d.at.Add(time.Since(from))
	d.arm(wake)
}

// over reports whether the deadline has passed.
func (d *deadline) over(lost bool) bool {
	return d.expired || !lost && !d.at.IsZero() && !time.Now().Before(d.at)
}
