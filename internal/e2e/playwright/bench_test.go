package playwright

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// BenchmarkBrowserHost prints what the hub adds in front of a Chromium: the time
// of 200 actions of Playwright as a multiple of that at the same Chromium without a
// hub, and what a round trip takes longer, both of medians that were measured in
// turns.
func BenchmarkBrowserHost(b *testing.B) {
	a := newApp(b)
	start := a.own.URL + "/bare?title=ready"
	direct := harness.StartBrowser(b, start, true)
	hub := harness.StartHub(b, "--browser-url", "http://127.0.0.1:"+direct.Port(b)) // the same browser: no two are alike
	harness.NodeModules(b, ".")
	node := exec.CommandContext(b.Context(), "node", "bench.mjs")
	node.Stderr = os.Stderr
	node.Env = append(os.Environ(), "APP="+a.own.URL,
		"DIRECT=http://127.0.0.1:"+direct.Port(b), "HUB=http://127.0.0.1:"+hub.Port(b))
	out, err := node.Output()
	if err != nil {
		b.Fatal(err)
	}
	type sides struct{ Direct, Hub []float64 } // ms
	var measured struct{ Actions, Trips sides }
	if err := json.Unmarshal(out, &measured); err != nil {
		b.Fatal(err)
	}
	actions, trips := measured.Actions, measured.Trips
	b.ReportMetric(0, "ns/op") // it says nothing here
	b.ReportMetric(harness.Median(actions.Direct)/200, "ms/action-direct")
	b.ReportMetric(harness.Median(actions.Hub)/200, "ms/action-hub")
	b.ReportMetric(harness.Median(actions.Hub)/harness.Median(actions.Direct), "hub/direct")
	b.ReportMetric(1000*harness.Median(trips.Direct), "µs/trip-direct")
	b.ReportMetric(1000*(harness.Median(trips.Hub)-harness.Median(trips.Direct)), "µs-more/trip-hub")
}
