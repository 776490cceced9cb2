package pages

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// laterAtMost is how many ms later than a click alone one may reach the page that comes
// after 300 moves of the mouse.
const laterAtMost = 50

const tries = 5

// BenchmarkClickInTheDashboard has the median times from a click in the live view, in
// Chromium and in Firefox, until the page gets it: alone, which is the control, and
// after 300 moves, in turns. It fails when the moves delay the click in each of some
// tries: a machine may be busy.
func BenchmarkClickInTheDashboard(b *testing.B) {
	chromium, err := harness.Chromium()
	if err != nil {
		b.Fatal(err)
	}
	firefox, err := harness.LookUp("FIREFOX", "firefox-esr", "firefox")
	if err != nil {
		b.Fatal(err)
	}
	harness.NodeModules(b, ".")
	hub := harness.StartBrowserHub(b, "about:blank")
	for _, viewer := range []struct{ name, program string }{{"chromium", chromium}, {"firefox", firefox}} {
		b.Run("viewer="+viewer.name, func(b *testing.B) {
			for b.Loop() {
				later := 0.0
				for range tries {
					alone, after := clicks(b, viewer.name, viewer.program, "http://"+hub.ClientAddr)
					b.ReportMetric(alone, "ms/click-alone")
					b.ReportMetric(after, "ms/click-after-moves")
					if later = after - alone; later <= laterAtMost {
						break
					}
				}
				if later > laterAtMost {
					b.Errorf("a click after 300 moves reaches the page %v ms later than one alone, want at most %v", later, laterAtMost)
				}
			}
			b.ReportMetric(0, "ns/op") // it says nothing here
		})
	}
}

// clicks runs clicks.mjs, and returns the medians in ms.
func clicks(b *testing.B, name, program, hub string) (alone, after float64) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "node", "clicks.mjs")
	cmd.Env = append(os.Environ(), "WITH="+name, "PROGRAM="+program, "HUB="+hub)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var took struct{ Alone, After []float64 }
	if err := json.Unmarshal(out, &took); err != nil {
		b.Fatalf("%s: %v", out, err)
	}
	slices.Sort(took.Alone)
	slices.Sort(took.After)
	return took.Alone[len(took.Alone)/2], took.After[len(took.After)/2]
}

//go:embed typing.html
var typingPage string

// timesAtMost is how many times as long as in a browser a key in a frame may take to be seen.
const timesAtMost = 3

// BenchmarkTypingInTheDashboard has the median times from a key in the live view until the picture
// shows what it has changed, in a page of 1,000 nodes: for a page of a browser, for the same page in
// a frame, and how many times longer the frame takes. It fails when that is too much in each of some
// tries: a machine may be busy.
func BenchmarkTypingInTheDashboard(b *testing.B) {
	chromium, err := harness.Chromium()
	if err != nil {
		b.Fatal(err)
	}
	harness.NodeModules(b, ".")
	hub := harness.StartHub(b, "--browser-path", chromium, "--browser-no-sandbox", "--browser-hub", "two")
	agent := fmt.Sprintf(`<script src="http://%s/agent.js" data-parents="http://%[1]s" crossorigin></script>`, hub.HostAddr)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/framed" {
			fmt.Fprint(w, strings.Replace(typingPage, "AGENT", agent, 1))
			return
		}
		fmt.Fprint(w, strings.Replace(typingPage, "AGENT", "", 1))
	}))
	defer app.Close()
	env := []string{
		"PROGRAM=" + chromium, "HUB=http://" + hub.ClientAddr, "BROWSER_HUB=/hub/two", "PAGE=" + app.URL + "/",
		"SHELL=http://" + hub.HostAddr + "/shell?app=" + app.URL + "/framed",
	}
	for b.Loop() {
		times := 0.0
		for range tries {
			ofBrowser, ofFrame := keys(b, env)
			b.ReportMetric(ofBrowser, "ms/key-browser")
			b.ReportMetric(ofFrame, "ms/key-frame")
			if times = ofFrame / ofBrowser; times <= timesAtMost {
				break
			}
		}
		b.ReportMetric(times, "x/frame-to-browser")
		if times > timesAtMost {
			b.Errorf("a key in a frame takes %.1f times as long as one in a browser, want at most %d", times, timesAtMost)
		}
	}
	b.ReportMetric(0, "ns/op") // it says nothing here
}

// keys runs typing.mjs, and returns the medians in ms.
func keys(b *testing.B, env []string) (ofBrowser, ofFrame float64) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "node", "typing.mjs")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var took struct{ Browser, Frame []float64 }
	if err := json.Unmarshal(out, &took); err != nil {
		b.Fatalf("%s: %v", out, err)
	}
	slices.Sort(took.Browser)
	slices.Sort(took.Frame)
	return took.Browser[len(took.Browser)/2], took.Frame[len(took.Frame)/2]
}
