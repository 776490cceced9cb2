package server

import (
	"bytes"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// reader is a Client on a Target that takes numbered events and wants them one after another.
type reader struct {
	*far
	seen atomic.Int64
	bad  atomic.Pointer[string]        // the first event that was not the next
	hold atomic.Pointer[chan struct{}] // until it is closed nothing is read; nil lets all through
}

const eventHead = `{"method":"A.event","params":{"n":`

// numbered is an event of a Target with a number, filled up with x.
func numbered(target string, n int, fill string) string {
	return `{"kind":"event","targetId":"` + target + `","method":"A.event","params":{"n":` + strconv.Itoa(n) + `,"fill":"` + fill + `"}}`
}

func (s started) reader(t *testing.T, target string) *reader {
	t.Helper()
	r := &reader{}
	got := make(chan string, 100)
	var tail atomic.Pointer[string]
	r.far = dialTo(t, "ws://"+s.addr(false)+"/devtools/browser", nil, func(m []byte) {
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

// stop makes the Client stop reading until the test ends.
func (r *reader) stop() {
	hold := make(chan struct{})
	r.hold.Store(&hold)
	r.t.Cleanup(func() { close(hold) }) // before the connection is closed, which waits for its reader
}

// infoLog is a server's log from the level info on.
func infoLog() (*logtest.Buffer, *zap.Logger) {
	out := &logtest.Buffer{}
	return out, zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), out, zap.InfoLevel))
}
