package actions_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// tripCounter is a Client that counts how often its user waits for answers before it
// sends more.
type tripCounter struct {
	actions.Client

	mu       sync.Mutex // guards what is below
	trips    int
	answered bool // since the last command
}

// counting makes a Join whose connection is counted.
func counting(join actions.Join) (*tripCounter, actions.Join) {
	c := &tripCounter{answered: true}
	return c, func(event actions.EventFunc) (actions.Client, error) {
		client, err := join(event)
		c.Client = client
		return c, err
	}
}

func (c *tripCounter) Send(session, method string, params []byte) func(context.Context) ([]byte, error) {
	c.mu.Lock()
	if c.answered {
		c.trips++
		c.answered = false
	}
	c.mu.Unlock()
	wait := c.Client.Send(session, method, params)
	return func(ctx context.Context) ([]byte, error) {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.answered = true
		}()
		return wait(ctx)
	}
}

// count is how many round trips a call takes: the fewest of some calls, since
// one that has to wait for the page asks it more than once.
func (c *tripCounter) count(t testing.TB, act func() error) int {
	t.Helper()
	var counts []int
	for range 4 { // the first learns what the others know
		c.mu.Lock()
		before := c.trips
		c.mu.Unlock()
		if err := act(); err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		counts = append(counts, c.trips-before)
		c.mu.Unlock()
	}
	return slices.Min(counts)
}

// roundTrips counts those of actions on a page of six frames that are of another
// process, or have an agent of their own, and in one of those frames.
func roundTrips(t testing.TB, kind actions.TargetKind, told func(where, action string, trips int)) {
	t.Helper()
	c, join := counting(joinTo(t, kind))
	b, err := actions.Open(t.Context(), join, actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := visit(t, b, "/many.html")
	for _, where := range []struct {
		name  string
		frame actions.FrameChoice
	}{{"page", actions.FrameChoice{}}, {"child", actions.FrameChoice{URL: "form.html?5"}}} {
		if _, err := p.SetFrame(t.Context(), where.frame); err != nil {
			t.Fatal(err)
		}
		told(where.name, "click", c.count(t, func() error {
			_, err := p.Click(t.Context(), actions.CSS("#save"), actions.ClickOptions{})
			return err
		}))
		told(where.name, "fill", c.count(t, func() error {
			return p.Fill(t.Context(), actions.CSS("#email"), "a@example.com", actions.FillOptions{})
		}))
		told(where.name, "press", c.count(t, func() error {
			return p.Press(t.Context(), actions.CSS("#email"), "a", actions.PressOptions{})
		}))
	}
}

// mostTrips is how many round trips an action may take.
const mostTrips = 4

func TestRoundTrips(t *testing.T) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		roundTrips(t, kind, func(where, action string, trips int) {
			if trips > mostTrips {
				t.Errorf("%s in a %s of a %s takes %d round trips, want at most %d", action, where, kind, trips, mostTrips)
			}
		})
	}
}

// BenchmarkRoundTrips reports how many round trips actions take.
func BenchmarkRoundTrips(b *testing.B) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		roundTrips(b, kind, func(where, action string, trips int) {
			b.Run(fmt.Sprintf("%s/%s/%s", kind, where, action), func(b *testing.B) {
				b.ReportMetric(0, "ns/op") // it says nothing here
				b.ReportMetric(float64(trips), "trips")
			})
		})
	}
}
