package cli

import (
	"io"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// TestLogMetrics wants lines that were left out of the log to be counted.
func TestLogMetrics(t *testing.T) {
	l := logtest.Open(t, io.Discard)
	for range 25 {
		l.Warn("again")
	}
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(droppedLines(l)...)
	if n, err := testutil.GatherAndCount(r, "cdphub_log_lines_left_out_total"); err != nil || n != 2 {
		t.Errorf("%d series, %v; want one for each reason", n, err)
	}
	if n := testutil.ToFloat64(droppedLines(l)[0]); n != 15 {
		t.Errorf("%v lines are counted, want 15", n)
	}
}
