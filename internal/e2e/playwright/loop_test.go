package playwright

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// loopPages are one page with the agent, which is the Target, and one without.
var loopPages = []string{"/without", "/with"}

const loopHost = `<!doctype html><title>Host</title><style>iframe { position: fixed; top: 0; width: 300px; height: 300px }</style>
<script src="%[1]s/host.js"></script><body><iframe src="%[2]s/without"></iframe><script>
  const host = new CdpHub.Host({});
  const frame = document.createElement("iframe");
  frame.src = "%[2]s/with";
  frame.style.left = "300px"; // timers of a frame out of sight are slowed down
  document.body.append(frame);
  host.pair(frame, { targetId: "with", origins: [%[2]q] });
  host.connectRelay("%[3]s/icdp/host");
</script>`

// newLoop opens the pages in a browser without DevTools, side by side in a Host page.
func newLoop(b *testing.B) (*harness.Site, *harness.Hub) {
	b.Helper()
	h, s := harness.StartHub(b), harness.NewSite(b)
	hub := "http://" + h.HostAddr
	s.UseHub(hub)
	s.Handle("/data.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"answer":42}`)
	})
	for _, path := range loopPages {
		s.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
			agent := s.Agent()
			if path == "/without" {
				agent = ""
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Loop</title><script src=/witness.js></script>", agent, "<script src=/loop.js></script>",
				strings.Repeat("<p>Some <b>text</b> of the page.", 500), "<ul id=list></ul>")
		})
	}
	s.Handle("/host/loop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, loopHost, hub, s.App.URL, "ws"+strings.TrimPrefix(hub, "http"))
	})
	harness.StartBrowser(b, s.Host.URL+"/host/loop", false)
	h.AwaitTarget(b, "with", "Loop")
	for _, path := range loopPages {
		s.Expect(b, path, "typeof storm", `"function"`)
	}
	return s, h
}

// attached starts a Playwright that is attached to the page with the agent.
func attached(b *testing.B, h *harness.Hub, env ...string) {
	b.Helper()
	harness.NodeModules(b, ".")
	node := exec.Command("node", "attach.mjs")
	node.Stderr = os.Stderr
	node.Env = append(append(os.Environ(), "HUB=http://127.0.0.1:"+h.Port(b)), env...)
	in, err := node.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := node.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := node.Wait(); err != nil {
			b.Error(err)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "Loop\n" {
		b.Fatalf("the client says %q, %v", line, err)
	}
}

// inTurns asks both pages a question so many times, in turns, and returns the middle
// answers.
func inTurns(b *testing.B, s *harness.Site, rounds int, question string) (without, with float64) {
	b.Helper()
	answers := make(map[string][]float64)
	for i := range rounds + 1 {
		order := slices.Clone(loopPages)
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, path := range order {
			text, err := s.Ask(path, question)
			if err != nil {
				b.Fatal(err)
			}
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				b.Fatal(err)
			}
			if i > 0 { // the first is to warm up
				answers[path] = append(answers[path], n)
			}
		}
	}
	return harness.Median(answers["/without"]), harness.Median(answers["/with"])
}

// BenchmarkDrivenLoop measures what an agent with a client costs its page: its work as a
// multiple of what it takes without an agent.
func BenchmarkDrivenLoop(b *testing.B) {
	s, h := newLoop(b)
	attached(b, h)
	for _, work := range []struct {
		name  string
		times int
	}{{"dom", 500}, {"fetch", 20}, {"xhr", 20}, {"timers", 20}, {"console", 500}} {
		without, with := inTurns(b, s, 21, fmt.Sprintf("timed(%q, %d)", work.name, work.times))
		b.ReportMetric(with/without, work.name+"-ratio")
		b.ReportMetric(without*1000/float64(work.times), work.name+"-us/op")
	}
	b.ReportMetric(0, "ns/op") // it says nothing here
}

// BenchmarkStorm has the frames a second of a page while its DOM changes.
func BenchmarkStorm(b *testing.B) {
	for _, c := range []struct{ name, document string }{{"attached", ""}, {"following", "1"}} {
		b.Run("client="+c.name, func(b *testing.B) {
			s, h := newLoop(b)
			attached(b, h, "DOCUMENT="+c.document)
			without, with := inTurns(b, s, 5, "storm(10000, 2000)")
			b.ReportMetric(0, "ns/op") // it says nothing here
			b.ReportMetric(with, "frames/s")
			b.ReportMetric(with/without, "with/without")
		})
	}
}
