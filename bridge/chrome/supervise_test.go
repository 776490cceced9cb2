package chrome

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// TestR246OnlyStartsThatFailMakeThePauseLonger ends browsers that have started, as a page
// does that makes them crash, between starts that fail.
func TestR246OnlyStartsThatFailMakeThePauseLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var starts []time.Duration
		last := time.Now()
		err := superviseRuns(ctx, zap.NewNop(), func(context.Context) (bool, error) {
			starts = append(starts, time.Since(last))
			if len(starts) == 20 {
				cancel()
			}
			last = time.Now()
			return len(starts) <= 5 || len(starts) == 18, errFakeGone
		})
		want := []time.Duration{0, minBackoff, minBackoff, minBackoff, minBackoff}
		for pause := minBackoff; len(want) < 18; pause = min(2*pause, maxBackoff) {
			want = append(want, pause)
		}
		want = append(want, minBackoff, 2*minBackoff)
		if !slices.Equal(starts, want) {
			t.Errorf("pauses %v, want %v", starts, want)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("keep = %v, want %v", err, context.Canceled)
		}
	})
}

func TestKeepLeavesAHubThatIsTaken(t *testing.T) {
	for _, end := range []error{ErrReplaced, errShutdown} {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			err := superviseRuns(t.Context(), zap.NewNop(), func(context.Context) (bool, error) {
				runs++
				return true, end
			})
			if runs != 1 || !errors.Is(err, end) {
				t.Errorf("%d runs and %v, want 1 and %v", runs, err, end)
			}
		})
	}
}

func TestKeepTellsThatTheFirstDidNotCome(t *testing.T) {
	broken := errors.New("no Chromium")
	err := superviseRuns(t.Context(), zap.NewNop(), func(context.Context) (bool, error) { return false, broken })
	if !errors.Is(err, broken) {
		t.Errorf("keep = %v, want %v", err, broken)
	}
}
