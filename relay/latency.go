package relay

import "time"

// sampleEvery is which of the commands is measured: two readings of the clock for
// each would cost more than finding its call. It is a prime, so that a Client that
// repeats the same few commands has all of them measured.
const sampleEvery = 17

// LatencyBounds are the upper bounds of Latency's buckets, in seconds. Commands may wait
// for a page to load, hence the long ones; 30 s is browserTimeout.
var LatencyBounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// Latency is how long Hosts have taken to answer commands, of which every 17th is
// measured.
type Latency struct {
	Buckets [len(LatencyBounds) + 1]uint64 // commands by the first bound that is not below; the last is above all
	Sum     float64                        // seconds
}

// observe counts one answer. The time is that from Host.Send to Events.Result, without that
// in the Client's connection.
func (l *Latency) observe(took time.Duration) {
	seconds := took.Seconds()
	i := 0
	for i < len(LatencyBounds) && seconds > LatencyBounds[i] {
		i++
	}
	l.Buckets[i]++
	l.Sum += seconds
}

// add takes the numbers of o into account.
func (l *Latency) add(o Latency) {
	for i, n := range o.Buckets {
		l.Buckets[i] += n
	}
	l.Sum += o.Sum
}

// sampled returns when a command was sent if it is one that is measured, else the
// zero time.
func (c *call) sampled() (sent time.Time) {
	if c.number%sampleEvery == 1 {
		sent = time.Now()
	}
	return sent
}
