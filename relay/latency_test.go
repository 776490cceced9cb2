package relay

import (
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

func TestLatencyIsCounted(t *testing.T) {
	var l, sum Latency
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, time.Second, time.Hour} {
		l.observe(took)
	}
	sum.add(l)
	sum.add(l)
	want := Latency{Sum: 2 * (3601 + .001001)}
	want.Buckets[0], want.Buckets[1], want.Buckets[10], want.Buckets[len(LatencyBounds)] = 4, 2, 2, 2
	if sum.Buckets != want.Buckets || sum.Sum < want.Sum-1e-6 || sum.Sum > want.Sum+1e-6 {
		t.Errorf("got %+v, want %+v", sum, want)
	}
	measured := 0
	for n := range 1000 {
		if c := (&call{number: bridge.CallID(n + 1)}); !c.sampled().IsZero() {
			measured++
		}
	}
	if measured != 1+999/sampleEvery {
		t.Errorf("%d of 1000 commands are measured", measured)
	}
}
