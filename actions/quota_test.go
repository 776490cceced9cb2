package actions

import (
	"context"
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/relay/quota"
)

// TestR247ActionCalls has one token send requests that never end, over many connections.
func TestR247ActionCalls(t *testing.T) {
	quotas := quota.New(quota.Options{Bearers: func(string) int { return 3 }, Totals: map[quota.Resource]int64{quota.ActionCalls: 100}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	running := 0
	request := func(token string) error {
		s := NewScheduler(ctx, Caller{Payer: quota.Payer{ID: token}, Quotas: quotas}, func() {})
		t.Cleanup(s.End)
		var err error
		for range 20 {
			if err = s.Run(Job{Page: fmt.Sprint(running)}, func(ctx context.Context) { <-ctx.Done() }); err != nil {
				break
			}
			running++
		}
		return err
	}
	for range 10 {
		if err := request("A"); err != nil && KindOf(err) != RateLimited {
			t.Fatal(err)
		}
	}
	if running < 40 || running > 60 {
		t.Errorf("%d of 100 requests of one token run", running)
	}
	if err := request("B"); err != nil {
		t.Errorf("another token: %v", err)
	}
}

// TestR247ConsentsOfOthersStay has one caller ask for very many origins.
func TestR247ConsentsOfOthersStay(t *testing.T) {
	asked := 0
	c := &Consents{Ask: func(context.Context, string, string) (bool, error) {
		asked++
		return true, nil
	}}
	check := func(caller, origin string) {
		if err := c.Check(t.Context(), caller, origin); err != nil {
			t.Fatal(err)
		}
	}
	check("B", "https://b.example")
	for n := range 2 * maxDecided {
		check("A", fmt.Sprintf("https://a%d.example", n))
	}
	before := asked
	check("B", "https://b.example")
	if asked != before || len(c.decided) > maxDecided {
		t.Errorf("%d answers are remembered, and B's origin was asked for again: %v", len(c.decided), asked != before)
	}
}
