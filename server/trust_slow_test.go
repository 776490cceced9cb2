package server

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// reader is a Client that counts the events of a session, which are numbered.
type reader struct {
	*far
	seen atomic.Int64 // events 0 to seen-1 came, each once and in order
	tail atomic.Pointer[string]
	bad  atomic.Pointer[string] // the first message that did not fit
	hold atomic.Pointer[gate]   // before each event; nil lets them through
	when func(n int64)          // sees the number of each event; may be nil
}

// gate is closed until it is opened.
type gate struct{ opened chan struct{} }

const eventHead = `{"method":"A.event","params":{"n":`

// numbered is an event of a Target with a number, filled up with x.
func numbered(target string, n int, fill string) string {
	return `{"kind":"event","targetId":"` + target + `","method":"A.event","params":{"n":` + strconv.Itoa(n) + `,"fill":"` + fill + `"}}`
}

// fill makes an event 4 KiB long.
var fill = strings.Repeat("x", 4<<10)

func (s started) reader(t *testing.T, target string, when func(n int64)) *reader {
	t.Helper()
	return s.readerOf(t, "", target, when)
}

// readerOf is a reader on the hub below a prefix.
func (s started) readerOf(t *testing.T, prefix, target string, when func(n int64)) *reader {
	t.Helper()
	r := &reader{when: when}
	got := make(chan string, 100)
	r.far = dialTo(t, "ws://"+s.addr(false)+prefix+"/devtools/browser", nil, func(m []byte) {
		rest, is := bytes.CutPrefix(m, []byte(eventHead))
		if !is {
			got <- string(m)
			return
		}
		if g := r.hold.Load(); g != nil {
			<-g.opened
		}
		digits, _, _ := bytes.Cut(rest, []byte(","))
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil || n != r.seen.Load() || !bytes.HasSuffix(m, []byte(*r.tail.Load())) {
			text := fmt.Sprintf("%.80s … %s", m, m[max(0, len(m)-80):])
			r.bad.CompareAndSwap(nil, &text)
		}
		r.seen.Add(1)
		if r.when != nil {
			r.when(n)
		}
	})
	r.Got = got
	tail := r.attachTo(target)
	r.tail.Store(&tail)
	return r
}

// stop makes the Client stop reading; what it returns lets it go on.
func (r *reader) stop() (resume func()) {
	g := &gate{make(chan struct{})}
	r.hold.Store(g)
	var done atomic.Bool
	resume = func() {
		if done.CompareAndSwap(false, true) {
			r.hold.Store(nil)
			close(g.opened)
		}
	}
	r.t.Cleanup(resume) // before the connection is closed, which waits for its reader
	return resume
}

// wants waits for a number of events, and that all came once and in order.
func (r *reader) wantsEvents(n int) {
	r.t.Helper()
	await(r.t, fmt.Sprintf("%d events came", n), func() bool { return r.seen.Load() >= int64(n) || r.bad.Load() != nil })
	if bad := r.bad.Load(); bad != nil || r.seen.Load() != int64(n) {
		text := ""
		if bad != nil {
			text = *bad
		}
		r.t.Fatalf("%d events came, want %d; out of order: %s", r.seen.Load(), n, text)
	}
}

// emit sends events from number from to number to of T1, never more than 500
// ahead of those who read.
func emit(t *testing.T, host *far, from, to int, readers ...*reader) {
	t.Helper()
	for n := from; n < to; n++ {
		host.send(numbered("T1", n, fill))
		if n%100 > 0 {
			continue
		}
		for _, r := range readers {
			await(t, "those who read keep up", func() bool { return r.seen.Load() > int64(n)-500 || r.bad.Load() != nil })
		}
	}
}

// infoLog is a server's log from the level info on.
func infoLog() (*logtest.Buffer, *zap.Logger) {
	out := &logtest.Buffer{}
	return out, zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), out, zap.InfoLevel))
}

// TestF07R60R62SlowReader has one of ten Clients stop reading.
func TestF07R60R62SlowReader(t *testing.T) {
	out, log := infoLog()
	queue := hubtest.Amount(4<<20, 32<<20)
	s := startLogged(t, log, func(f *Options) { f.Limits.MaxClientQueue = int64(queue) })
	host := s.host(t)
	const alone = 1000
	most := (queue + 128<<20) / len(fill) // the kernel holds up to tcp_rmem and tcp_wmem of it (tcp(7))
	sent := make([]atomic.Int64, most+2*alone)
	var before, during latencies
	when := func(n int64) {
		all := &before
		if n >= alone {
			all = &during
		}
		all.add(time.Since(time.Unix(0, sent[n].Load())))
	}
	slow := s.reader(t, "T1", nil)
	var others []*reader
	for i := range 9 {
		if i > 0 {
			when = nil
		}
		others = append(others, s.reader(t, "T1", when))
	}
	send := func(from, to int) {
		for n := from; n < to; n += 100 {
			for i := n; i < n+100; i++ {
				sent[i].Store(time.Now().UnixNano())
			}
			emit(t, host, n, n+100, others...)
		}
	}
	send(0, alone)
	for _, r := range append(others, slow) {
		r.wantsEvents(alone)
	}
	atRest := heap()
	resume := slow.stop()
	n := alone
	for ; n < most && s.hubs.Stats().ClientClosed == 0; n += 100 {
		send(n, n+100)
	}
	t.Run("R-60 it is closed", func(t *testing.T) {
		out.Await(t, `"code":1013,"reason":"slow consumer"`)
		if n == most {
			t.Errorf("not within %d events of 4 KiB", most)
		}
		t.Logf("after %d MiB", (n-alone)>>8)
	})
	t.Run("R-60 the others miss nothing", func(t *testing.T) {
		send(n, n+alone)
		n += alone
		for _, r := range others {
			r.wantsEvents(n)
		}
		t.Logf("p99 of an event was %v, then %v", before.p99(), during.p99())
		if strings.Count(out.String(), "client left") != 1 {
			t.Error("another Client was closed too")
		}
	})
	t.Run("R-60 its memory is free again", func(t *testing.T) { heapReturns(t, atRest, 16<<20) })
	t.Run("R-62 it had a gapless prefix", func(t *testing.T) {
		resume()
		slow.reason() // all that the kernel held has been read
		if bad := slow.bad.Load(); bad != nil {
			t.Errorf("after %d events came %s", slow.seen.Load(), *bad)
		}
		if got := slow.seen.Load(); got < alone || got >= int64(n) {
			t.Errorf("%d of %d events came", got, n)
		}
	})
}

func TestR61SlowReaderResumes(t *testing.T) {
	s := start(t, nil)
	host := s.host(t)
	slow, other := s.reader(t, "T1", nil), s.reader(t, "T1", nil)
	resume := slow.stop()
	n := hubtest.Amount(2000, 4000) // at most half of what may wait, and more than the kernel holds
	emit(t, host, 0, n, other)
	other.wantsEvents(n)
	if got := slow.seen.Load(); got > 1 {
		t.Fatalf("it has read %d events while it did not", got)
	}
	resume()
	slow.wantsEvents(n)
	slow.works("it went on")
}

func TestR63LargeResult(t *testing.T) {
	queue, large := hubtest.Amount(4<<20, 32<<20), hubtest.Amount(20<<20, 200<<20)
	s := start(t, func(f *Options) { f.Limits.MaxClientQueue = int64(queue) })
	host := s.host(t)
	begun := time.Now()
	arrived := make(chan string, 2)
	c := dialTo(t, "ws://"+s.addr(false)+"/devtools/browser", nil, func(m []byte) {
		if len(m) < large {
			arrived <- string(m)
			return
		}
		head, rest, _ := bytes.Cut(m, []byte("x"))
		arrived <- fmt.Sprintf("%s %d%s", head, bytes.Count(rest, []byte("x"))+1, bytes.TrimLeft(rest, "x"))
	})
	c.Got = arrived
	tail := c.attachTo("T1")
	c.send(`{"id":1,"method":"Page.captureScreenshot"` + tail)
	cmd := readCommand(t, host.next())
	host.send(cmd.result(`{"data":"` + strings.Repeat("x", large) + `"}`))
	if got, want := c.next(), fmt.Sprintf(`{"id":1,"result":{"data":" %d"}%s`, large, tail); got != want {
		t.Errorf("got %.200s, want %s", got, want)
	}
	t.Logf("%d MiB took %v", large>>20, time.Since(begun))
	c.works("a large result")
}
