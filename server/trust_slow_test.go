package server

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// reader is a Client on a Target that counts its events, which are numbered.
type reader struct {
	*far
	seen atomic.Int64                  // events 0 to seen-1 came, each once and in order
	bad  atomic.Pointer[string]        // the first message that did not fit
	hold atomic.Pointer[chan struct{}] // until it is closed nothing is read; nil lets all through
}

const eventHead = `{"method":"A.event","params":{"n":`

// numbered is an event of a Target with a number, filled up with x.
func numbered(target string, n int, fill string) string {
	return `{"kind":"event","targetId":"` + target + `","method":"A.event","params":{"n":` + strconv.Itoa(n) + `,"fill":"` + fill + `"}}`
}

// fill makes an event 4 KiB long.
var fill = strings.Repeat("x", 4<<10)

func (s started) reader(t *testing.T, target string) *reader {
	t.Helper()
	return s.readerOf(t, "", target)
}

// readerOf is a reader on the hub below a prefix.
func (s started) readerOf(t *testing.T, prefix, target string) *reader {
	t.Helper()
	r := &reader{}
	got := make(chan string, 100)
	var tail atomic.Pointer[string]
	r.far = dialTo(t, "ws://"+s.addr(false)+prefix+"/devtools/browser", nil, func(m []byte) {
		rest, is := bytes.CutPrefix(m, []byte(eventHead))
		if !is {
			got <- string(m)
			return
		}
		if hold := r.hold.Load(); hold != nil {
			<-*hold
		}
		digits, _, _ := bytes.Cut(rest, []byte(","))
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil || n != r.seen.Load() || !bytes.HasSuffix(m, []byte(*tail.Load())) {
			text := fmt.Sprintf("%.80s … %s", m, m[max(0, len(m)-80):])
			r.bad.CompareAndSwap(nil, &text)
		}
		r.seen.Add(1)
	})
	r.Got = got
	end := r.attachTo(target)
	tail.Store(&end)
	return r
}

// stop makes the Client stop reading; what it returns lets it go on.
func (r *reader) stop() (resume func()) {
	hold := make(chan struct{})
	r.hold.Store(&hold)
	resume = sync.OnceFunc(func() {
		r.hold.Store(nil)
		close(hold)
	})
	r.t.Cleanup(resume) // before the connection is closed, which waits for its reader
	return resume
}

// wantsEvents waits for a number of events, and that all came once and in order.
func (r *reader) wantsEvents(n int) {
	r.t.Helper()
	await(r.t, fmt.Sprintf("%d events came", n), func() bool { return r.seen.Load() >= int64(n) || r.bad.Load() != nil })
	if bad := r.bad.Load(); bad != nil {
		r.t.Fatalf("out of order came %s", *bad)
	}
	if got := r.seen.Load(); got != int64(n) {
		r.t.Fatalf("%d events came, want %d", got, n)
	}
}

// infoLog is a server's log from the level info on.
func infoLog() (*logtest.Buffer, *zap.Logger) {
	out := &logtest.Buffer{}
	return out, zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), out, zap.InfoLevel))
}
