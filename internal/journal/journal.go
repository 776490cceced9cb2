package journal

import (
	"cmp"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// Options say how much a Journal keeps. Zero fields take the default.
type Options struct {
	Log    *zap.Logger   // nothing is logged when nil
	Size   int64         // bytes of one target in memory, 2 MiB
	Time   time.Duration // for which they are kept, 30 min
	Memory int64         // bytes of all targets in memory, 64 MiB
	Record *Record       // to files; nil: nothing is written
	// Quotas say who loses something when there is too much. If it is nil, there is one
	// Payer.
	Quotas *quota.Ledger
}

// Journal keeps what happened on the targets of a process.
//
// Lock order: a hub's lock, then that of the queue. A hub is never called under
// Journal.mu, so that a caller that has a hub's lock may ask the Journal.
type Journal struct {
	log   *zap.Logger // static after New, as are o and files
	o     Options
	files *files // nil: nothing is written
	queue queue
	asks  []func()      // for the hubs, of the Journal's goroutine alone
	done  chan struct{} // closed when the goroutine has ended

	memory    *quota.Pool // bytes of all rings
	timelines *quota.Pool // each line

	mu    sync.Mutex        // guards everything below
	lines map[lineKey]*line `held:"timelines"`
}

// lineKey names the timeline of a target. Ids of targets are unique within a hub.
type lineKey struct {
	hub    string // its name
	target string
}

// New makes a Journal. Close ends it.
func New(o Options) (*Journal, error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Quotas == nil {
		o.Quotas = quota.New(quota.Options{})
	}
	o.Size = cmp.Or(o.Size, 2<<20)
	o.Time = cmp.Or(o.Time, 30*time.Minute)
	j := &Journal{
		log: o.Log.Named("journal"), o: o, done: make(chan struct{}), lines: make(map[lineKey]*line),
		memory: o.Quotas.Pool(quota.TimelineMemory, o.Memory), timelines: o.Quotas.Pool(quota.Timelines, 0),
	}
	j.queue.share(o.Quotas)
	if o.Record != nil {
		var err error
		if j.files, err = openFiles(*o.Record, o.Quotas, o.Log); err != nil {
			return nil, err
		}
	}
	j.queue.woken = make(chan struct{}, 1)
	go j.run()
	return j, nil
}

// Close writes what waits to the files, ends the Journal's goroutine, and waits for
// that. What hubs tell it afterwards is dropped.
func (j *Journal) Close() {
	j.queue.close()
	<-j.done
}

// Entries lists the entries of a target that are newer than a Seq, the oldest first.
// A Watcher without the right to see files does not get entries of a time when the
// page may have shown a file. The list is never nil, and its entries are the caller's
// to read.
func (j *Journal) Entries(hub, targetID string, after uint64, w relay.Watcher) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := []Entry{}
	l := j.lines[lineKey{hub, targetID}]
	if l == nil {
		return list
	}
	j.expireLocked(l, time.Now())
	from, found := l.ring.find(after)
	if found {
		from++
	}
	for _, k := range l.ring.kept[from:] {
		if k.shows(w) {
			list = append(list, k.Entry)
		}
	}
	return list
}

// shows reports whether a Watcher may see an entry of a target that it sees.
func (e *Entry) shows(w relay.Watcher) bool { return !e.NotWeb || w.SeesFiles() }

// Picture is the picture of an entry that a Watcher may see, a JPEG; nil when there is
// none, or no more. Callers share the bytes, and must not change them.
func (j *Journal) Picture(hub, targetID string, seq uint64, w relay.Watcher) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	l := j.lines[lineKey{hub, targetID}]
	if l == nil {
		return nil
	}
	i, found := l.ring.find(seq)
	if !found || !l.ring.kept[i].shows(w) {
		return nil
	}
	return l.ring.kept[i].picture
}

// Last is the newest command on a target; ok is false when none is known.
func (j *Journal) Last(hub, targetID string) (method string, at time.Time, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l := j.lines[lineKey{hub, targetID}]
	if l == nil || l.lastMethod == "" {
		return "", time.Time{}, false
	}
	return l.lastMethod, l.lastAt, true
}

// removeLocked forgets a timeline. Its recording is complete.
func (j *Journal) removeLocked(key lineKey, l *line) {
	j.memory.Add(l.owner, -l.ring.bytes)
	j.timelines.Add(l.owner, -1)
	delete(j.lines, key)
	if j.files != nil {
		j.files.forget(l)
	}
}

// lineLocked returns the timeline of a target, and makes it if there is none. It counts
// for the first Payer that does something on the target.
func (j *Journal) lineLocked(key lineKey, payer quota.Payer, now time.Time) *line {
	l := j.lines[key]
	if l == nil {
		l = &line{key: key, owner: payer}
		for j.timelines.Excess() >= 0 {
			j.removeOldestLocked(j.timelines.Most())
		}
		j.timelines.Add(payer, 1)
		j.lines[key] = l
	}
	l.changed, l.payer = now, payer
	return l
}

// removeOldestLocked removes, of the timelines of a Payer, the one that has not changed
// for longest.
func (j *Journal) removeOldestLocked(payer string) {
	var oldest lineKey
	var at *line
	for key, l := range j.lines {
		if l.owner.ID == payer && (at == nil || l.changed.Before(at.changed)) {
			oldest, at = key, l
		}
	}
	j.removeLocked(oldest, at)
}

// keepLocked adds an entry to a timeline, gives it its number, and writes it to the
// recording. The entry must be redacted.
func (j *Journal) keepLocked(l *line, e Entry, picture []byte) {
	l.ring.last++
	e.Seq = l.ring.last
	e.NotWeb = e.NotWeb || l.notWeb || e.Load != nil && !scope.Web(e.Load.URL)
	if e.At == 0 {
		e.At = time.Now().UnixMilli()
	}
	if j.files != nil {
		j.files.write(l, &e, picture)
	}
	// Memory has no headers and bodies, and not what could be read: they are for exports.
	if e.Kind == Reads {
		return
	}
	e.Load = e.Load.Summary()
	before := l.ring.bytes
	l.ring.add(kept{e, picture}, j.o.Size)
	j.memory.Add(l.owner, l.ring.bytes-before)
	j.fitLocked()
}

// fitLocked drops old entries of the target that uses the most memory, of the Payer that
// uses the most, while all of them use too much. It drops an eighth at once, or each entry
// would search for the largest target.
func (j *Journal) fitLocked() {
	for j.memory.Excess() > 0 {
		payer := j.memory.Most()
		var largest *line
		for _, l := range j.lines {
			if l.owner.ID == payer && (largest == nil || l.ring.bytes > largest.ring.bytes) {
				largest = l
			}
		}
		before := largest.ring.bytes
		for len(largest.ring.kept) > 0 && largest.ring.bytes >= before-before/8 {
			largest.ring.drop()
		}
		j.memory.Add(largest.owner, largest.ring.bytes-before)
	}
}

// expireLocked drops entries that are too old.
func (j *Journal) expireLocked(l *line, now time.Time) {
	before := l.ring.bytes
	l.ring.dropBefore(now.Add(-j.o.Time))
	j.memory.Add(l.owner, l.ring.bytes-before)
}

// sweep drops what is too old in all timelines.
func (j *Journal) sweep(now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for key, l := range j.lines {
		j.expireLocked(l, now)
		if len(l.ring.kept) == 0 && now.Sub(l.changed) > j.o.Time {
			j.removeLocked(key, l)
		}
	}
}
