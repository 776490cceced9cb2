package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// logLine is what the tests read of a line.
type logLine struct {
	Level, Logger, Msg, Error, Why, Side, Addr string

	TS                    time.Time
	LeftOut, Status, Code int
}

func readLog(t *testing.T, text string) (lines []logLine) {
	t.Helper()
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var l logLine
		if err := dec.Decode(&l); err == io.EOF {
			return lines
		} else if err != nil {
			t.Fatalf("the log is not JSON: %v\n%s", err, text)
		}
		lines = append(lines, l)
	}
}

func openLog(t *testing.T, w io.Writer) logs {
	t.Helper()
	l, err := logFlags{LogLevel: "debug"}.open(w)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestR105LogRate floods the log with two kinds of lines for three seconds
// and wants ten of each a second at most, and each line written or counted.
func TestR105LogRate(t *testing.T) {
	const each = 50_000
	var out lockedBuffer
	synctest.Test(t, func(t *testing.T) {
		l := openLog(t, &out)
		for i := range each {
			l.Named("bridge").Warn("bad frame", zap.Int("n", i))
			l.With(zap.Int("n", i)).Warn("bad frame") // another logger, another kind
			if i%(each/30) == 0 {
				time.Sleep(100 * time.Millisecond)
			}
		}
		time.Sleep(time.Minute) // it has long been quiet
		l.Info("bad frame")
		synctest.Wait()
		if got := l.limit.Dropped(); got == 0 || got%2 != 0 {
			t.Errorf("%d lines are counted as left out of 2 equal kinds", got)
		}
	})
	total := map[string]int{}
	perSecond := map[string]int{}
	for _, line := range readLog(t, out.String()) {
		if line.LeftOut > 0 {
			total[line.Logger] += line.LeftOut
		} else {
			total[line.Logger]++
		}
		perSecond[line.Logger+line.TS.Format(time.TimeOnly)]++
	}
	if total["bridge"] != each || total[""] != each+1 {
		t.Errorf("lines written and counted: %v, want %d and one more", total, each)
	}
	for second, n := range perSecond {
		if n > 10 {
			t.Errorf("%d lines in %q, want at most 10", n, second)
		}
	}
}

// TestR105LeftOutAtTheEnd ends before the count of what was left out is due.
func TestR105LeftOutAtTheEnd(t *testing.T) {
	var out lockedBuffer
	l := openLog(t, &out)
	for range 25 {
		l.Warn("again")
	}
	l.Sync()
	lines := readLog(t, out.String())
	if last := lines[len(lines)-1]; len(lines) != 11 || last.LeftOut != 15 || last.Msg != "again" {
		t.Errorf("%d lines, the last %+v; want 11, with 15 left out", len(lines), last)
	}
}

// stuck is a log that nobody reads until it is closed.
type stuck struct {
	open chan struct{}
	lockedBuffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.open
	return s.lockedBuffer.Write(p)
}

// TestF19StuckLog serves a Client while nobody reads the log, and more is
// logged than there is room for.
func TestF19StuckLog(t *testing.T) {
	to := &stuck{open: make(chan struct{})}
	l := openLog(t, to)
	s := startLogged(t, l.Logger, nil)
	s.host(t)
	client := s.client(t)
	long := strings.Repeat("x", 1000)
	const lines = 2000
	for i := range lines {
		l.Info(fmt.Sprintf("kind %d", i), zap.String("long", long))
		if i%100 == 0 {
			client.send(fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion"}`, i))
			client.until(fmt.Sprintf(`{"id":%d,`, i))
		}
	}
	dropped := l.sink.Dropped()
	if dropped == 0 || dropped > lines {
		t.Errorf("%d of %d lines dropped", dropped, lines)
	}
	if _, body := s.get(t, s.addr(false), "/icdp/status", nil); !strings.Contains(body, `"clients":1`) {
		t.Errorf("the Client was lost: %s", body)
	}
	l.Sync() // gives up
	close(to.open)
	for end := time.Now().Add(10 * time.Second); !strings.Contains(to.String(), "log lines are missing"); {
		if time.Now().After(end) {
			t.Fatal("nothing says that lines are missing")
		}
		l.Sync()
	}
	for _, line := range readLog(t, to.String()) {
		if strings.HasPrefix(line.Msg, "log lines are missing") && uint64(line.LeftOut) != dropped {
			t.Errorf("the log says that %d lines are missing, want %d", line.LeftOut, dropped)
		}
	}
}

// TestF19BrokenPipe has nobody at the other end of the log any more.
func TestF19BrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	l := openLog(t, w)
	s := startLogged(t, l.Logger, nil)
	client := s.client(t)
	client.send(`{"id":1,"method":"Browser.getVersion"}`)
	client.until(`"id":1`)
}

// TestR105RefusedRequests refuses more requests than may be logged.
func TestR105RefusedRequests(t *testing.T) {
	var out lockedBuffer
	l := openLog(t, &out)
	s := startLogged(t, l.Logger, nil)
	const requests = 300
	for range requests {
		resp, err := http.Get("http://" + s.addr(false) + "/nothing")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	s.stop()
	perSecond, total := map[string]int{}, 0
	for _, line := range readLog(t, out.String()) {
		if line.Msg != "request refused" {
			continue
		}
		perSecond[line.TS.Format(time.TimeOnly)]++
		if line.LeftOut > 0 {
			total += line.LeftOut
			continue
		}
		total++
		if line.Status != 404 || line.Side != "client" || line.Why == "" {
			t.Errorf("a refused request was logged as %+v", line)
		}
	}
	if total != requests {
		t.Errorf("%d refused requests were logged or counted, want %d", total, requests)
	}
	for second, n := range perSecond {
		if n > 20 { // the stretches of time need not begin with the second
			t.Errorf("%d lines at %s, want at most 10 a second", n, second)
		}
	}
}

func TestLogLevelIsRead(t *testing.T) {
	var out bytes.Buffer
	l, err := logFlags{LogLevel: "warn"}.open(&out)
	if err != nil {
		t.Fatal(err)
	}
	l.Info("quiet")
	l.level.SetLevel(zap.InfoLevel)
	l.Info("heard")
	l.Sync()
	if text := out.String(); strings.Contains(text, "quiet") || !strings.Contains(text, "heard") {
		t.Errorf("the log is %s", text)
	}
	if _, err := (logFlags{LogLevel: "loud"}).open(&out); err == nil {
		t.Error("a level that does not exist is taken")
	}
}
