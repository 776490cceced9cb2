package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// baseline is what each action API is measured against: what does the same.
var baseline = map[string]string{"NDJSON": "Playwright", "browser.*": "Playwright", "hooks": "Playwright", "BAP": "Playwright", "MCP": "Playwright-MCP"}

// cost is that of one action by one client.
type cost struct{ MS, Commands []float64 }

// BenchmarkActions prints what an action costs by each action API: its time and
// the commands that come to the browser or the frame, and both as multiples of
// those of Playwright over the same hub, or of Playwright MCP. All are medians
// of turns of one run.
func BenchmarkActions(b *testing.B) {
	for _, kind := range []string{"browser", "hub"} {
		name := map[string]string{"browser": "browser", "hub": "frame"}[kind]
		b.Run(name, func(b *testing.B) {
			admin := hubtest.AdminSocket(b)
			e := harness.EndpointOf(b, kind, "--admin-addr", admin, "--hook-scope=browser:read,browser:write,browser:eval", "--eval-allow=*")
			cmd := exec.CommandContext(b.Context(), serverNode(b), "actions.mjs")
			cmd.Dir, cmd.Stderr = "node", os.Stderr
			cmd.Env = append(os.Environ(), "HUB=http://127.0.0.1:"+e.Port, "METRICS="+strings.TrimPrefix(admin, "unix:"), "APP="+e.Site.App.URL+harness.AppPage, "ROUNDS=3", "SCRATCH="+b.TempDir())
			out, err := cmd.Output()
			if err != nil {
				b.Fatal(err)
			}
			var measured map[string]map[string]cost // by client and action
			if err := json.Unmarshal(out, &measured); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(0, "ns/op") // it says nothing here
			for _, action := range []string{"click", "fill", "text", "snapshot", "navigate", "navigateTitled"} {
				for _, api := range []string{"NDJSON", "browser.*", "hooks", "BAP", "MCP"} {
					if measured[api][action].MS == nil {
						continue // it always tells the title, or never
					}
					b.Run(action+"/"+api, func(b *testing.B) { reportCost(b, measured[api][action], measured[baseline[api]][action]) })
				}
			}
		})
	}
}

// BenchmarkClicks prints what a click takes at a frame and at a browser behind the hub,
// as a multiple of what it takes by the same client at Chromium itself.
func BenchmarkClicks(b *testing.B) {
	kinds := map[string]string{"direct": "chromium", "frame": "hub", "browser": "browser"}
	places := make(map[string]string)
	for name, kind := range kinds {
		places[name] = "http://127.0.0.1:" + harness.EndpointOf(b, kind).Port
	}
	list, err := json.Marshal(places)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), serverNode(b), "clicks.mjs")
	cmd.Dir, cmd.Stderr = "node", os.Stderr
	cmd.Env = append(os.Environ(), "PLACES="+string(list), "ROUNDS=5")
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var measured map[string]map[string][]float64 // ms by client and place
	if err := json.Unmarshal(out, &measured); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(0, "ns/op") // it says nothing here
	for client, times := range measured {
		b.Run(client, func(b *testing.B) {
			direct := harness.Median(times["direct"])
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(direct, "ms-direct")
			for name := range kinds {
				if name != "direct" {
					b.ReportMetric(harness.Median(times[name])/direct, name+"/direct")
				}
			}
		})
	}
}

func reportCost(b *testing.B, own, theirs cost) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(harness.Median(own.MS), "ms")
	b.ReportMetric(harness.Median(own.MS)/harness.Median(theirs.MS), "x-time")
	b.ReportMetric(harness.Median(own.Commands), "commands")
	b.ReportMetric(harness.Median(own.Commands)/harness.Median(theirs.Commands), "x-commands")
}
