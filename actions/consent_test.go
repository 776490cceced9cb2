package actions_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

func TestConsents(t *testing.T) {
	asked := 0
	answers := map[string]error{"https://yes": nil, "https://late": context.DeadlineExceeded, "https://lost": errors.New("no way")}
	c := &actions.Consents{
		Allow: []string{"https://allowed", "https://both"}, Deny: []string{"https://both"},
		Ask: func(_ context.Context, caller, origin string) (bool, error) {
			asked++
			return caller == "ada", answers[origin]
		},
	}
	for _, test := range []struct {
		caller, origin string
		want           actions.Kind
		asked          int
	}{
		{"ada", "https://allowed", "", 0},
		{"ada", "https://both", actions.ConsentDenied, 0},
		{"ada", "https://yes", "", 1},
		{"ada", "https://yes", "", 0},
		{"bob", "https://yes", actions.ConsentDenied, 1},
		{"bob", "https://yes", actions.ConsentDenied, 0},
		{"ada", "https://late", actions.ApprovalTimeout, 1},
		{"ada", "https://lost", actions.ConsentDenied, 1},
	} {
		asked = 0
		if got := actions.KindOf(c.Check(t.Context(), test.caller, test.origin)); got != test.want || asked != test.asked {
			t.Errorf("%s in %s: %q, asked %d times; want %q, %d times", test.caller, test.origin, got, asked, test.want, test.asked)
		}
	}
	before := asked
	for i := range 10_000 {
		if err := c.Check(t.Context(), "ada", fmt.Sprintf("https://%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Check(t.Context(), "ada", "https://yes"); err != nil || asked != before+10_001 {
		t.Errorf("after many answers: %v, asked %d times", err, asked-before)
	}
	var none *actions.Consents
	if got := actions.KindOf(none.Check(t.Context(), "", "https://a")); got != actions.ConsentDenied {
		t.Errorf("without lists: %q", got)
	}
}
