package logging_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/logging"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// TestR105LogRate floods the log with two kinds of lines for three seconds
// and wants ten of each a second at most, and each line written or counted.
func TestR105LogRate(t *testing.T) {
	const each = 50_000
	var out logtest.Buffer
	synctest.Test(t, func(t *testing.T) {
		l := logtest.Open(t, &out)
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
		if got := l.DroppedByRate(); got == 0 || got%2 != 0 {
			t.Errorf("%d lines are counted as left out of 2 equal kinds", got)
		}
	})
	total := map[string]int{}
	perSecond := map[string]int{}
	for _, line := range logtest.Read(t, out.String()) {
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
	var out logtest.Buffer
	l := logtest.Open(t, &out)
	for range 25 {
		l.Warn("again")
	}
	l.Sync()
	lines := logtest.Read(t, out.String())
	if last := lines[len(lines)-1]; len(lines) != 11 || last.LeftOut != 15 || last.Msg != "again" {
		t.Errorf("%d lines, the last %+v; want 11, with 15 left out", len(lines), last)
	}
}

func TestLogLevelIsRead(t *testing.T) {
	var out bytes.Buffer
	l, err := logging.Open(&out, logging.Options{Level: "warn"})
	if err != nil {
		t.Fatal(err)
	}
	l.Info("quiet")
	l.Level.SetLevel(zap.InfoLevel)
	l.Info("heard")
	l.Sync()
	if text := out.String(); strings.Contains(text, "quiet") || !strings.Contains(text, "heard") {
		t.Errorf("the log is %s", text)
	}
	if _, err := logging.Open(&out, logging.Options{Level: "loud"}); err == nil {
		t.Error("a level that does not exist is taken")
	}
}

// TestR258AuditAtEachLevel wants the lines of the audit log whatever the level is, and no
// others that are below it.
func TestR258AuditAtEachLevel(t *testing.T) {
	for _, level := range []string{"debug", "info", "warn", "error"} {
		var out bytes.Buffer
		l, err := logging.Open(&out, logging.Options{Level: level, JSON: true})
		if err != nil {
			t.Fatal(err)
		}
		of := l.With(zap.String("hub", "a"))
		of.Named("audit").Info("page taken over")
		of.Named("program").Named("audit").Warn("node is not drained")
		of.Named("other").Info("quiet below info")
		of.Named("other").Debug("quiet below debug")
		l.Sync()
		text := out.String()
		for words, want := range map[string]bool{
			"page taken over": true, "node is not drained": true,
			"quiet below info": level == "debug" || level == "info", "quiet below debug": level == "debug",
		} {
			if strings.Contains(text, words) != want {
				t.Errorf("at level %s the log has %q: %v, want %v", level, words, !want, want)
			}
		}
	}
}

// TestFieldsOfALogger has loggers with fields of their own, which each line has in
// the order in which they were given.
func TestFieldsOfALogger(t *testing.T) {
	var out logtest.Buffer
	l := logtest.Open(t, &out)
	hub := l.With(zap.String("hub", "a"))
	one, two := hub.With(zap.String("peer", "1")), hub.With(zap.String("peer", "2"))
	one.Info("came", zap.Int("code", 1))
	two.Info("came", zap.Int("code", 2))
	hub.Info("ended")
	l.Sync()
	for _, want := range []string{`"hub":"a","peer":"1","code":1}`, `"hub":"a","peer":"2","code":2}`, `"msg":"ended","hub":"a"}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line has %s:\n%s", want, out.String())
		}
	}
}
