package actions

import (
	"context"
	"testing"
)

// sent is a Client that notes the params of what is sent.
type sent chan string

func (s sent) Send(_, _ string, params []byte) func(context.Context) ([]byte, error) {
	s <- string(params)
	return func(context.Context) ([]byte, error) { return []byte("{}"), nil }
}

func (sent) Leave() {}

// TestBackgroundWithoutParams wants params that a browser takes: it refuses
// null.
func TestBackgroundWithoutParams(t *testing.T) {
	out := make(sent, 1)
	b := &Browser{client: out}
	b.background("S", "Page.stopLoading", nil)
	b.loops.Wait()
	if got := <-out; got != "{}" {
		t.Errorf("params are %q, want {}", got)
	}
}
