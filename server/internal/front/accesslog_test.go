package front

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR353EndsOfConnectionsInWords ends connections for each kind of reason: only slow consumers count as such, and
// who is done has left normally.
func TestR353EndsOfConnectionsInWords(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	l := NewAccessLog(zap.New(core))
	p := Peer{access: l, Side: "client", Since: time.Now()}
	for _, tt := range []struct {
		why   wsconn.Reason
		words string
		slow  bool
	}{
		{wsconn.ReasonNormal, "closed normally", false},
		{wsconn.ReasonNoStatus, "closed normally", false},
		{wsconn.Reason{Code: 1001}, "closed normally", false}, // a page that goes away
		{wsconn.ReasonTargetClosed, "target closed", false},
		{wsconn.ReasonShutdown, "shutting down", false},
		{wsconn.ReasonGone, "connection lost", false},
		{wsconn.Reason{Code: 4000}, "", false},
		{wsconn.ReasonTryAgain, "not now: try again", false},
		{wsconn.ReasonSlowConsumer, "slow consumer", true},
		{wsconn.ReasonMemory, "slow consumer: memory budget", true},
	} {
		before := testutil.ToFloat64(l.slow.WithLabelValues("client"))
		p.Left(tt.why)
		if got := l.Closes.Last()[0]; got.Reason != tt.words || got.Code != tt.why.Code {
			t.Errorf("the list says %d %q, want %v as %q", got.Code, got.Reason, tt.why, tt.words)
		}
		if got := logs.TakeAll()[0].ContextMap()["reason"]; got != tt.words {
			t.Errorf("the log says %q, want %q", got, tt.words)
		}
		if got := testutil.ToFloat64(l.slow.WithLabelValues("client")) > before; got != tt.slow {
			t.Errorf("%v counts as a slow consumer: %v, want %v", tt.why, got, tt.slow)
		}
	}
}
