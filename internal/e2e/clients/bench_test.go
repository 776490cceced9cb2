package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
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
			admin := hubtest.FreeAddr(b)
			e := harness.EndpointOf(b, kind, "--admin-addr", admin, "--hook-scope=browser:read,browser:write,browser:eval", "--eval-allow=*")
			cmd := exec.CommandContext(b.Context(), serverNode(b), "actions.mjs")
			cmd.Dir, cmd.Stderr = "node", os.Stderr
			cmd.Env = append(os.Environ(), "HUB=http://127.0.0.1:"+e.Port, "METRICS=http://"+admin+"/metrics", "APP="+e.Site.App.URL+harness.AppPage, "ROUNDS=3", "SCRATCH="+b.TempDir())
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

func reportCost(b *testing.B, own, theirs cost) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(own.MS), "ms")
	b.ReportMetric(median(own.MS)/median(theirs.MS), "x-time")
	b.ReportMetric(median(own.Commands), "commands")
	b.ReportMetric(median(own.Commands)/median(theirs.Commands), "x-commands")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
