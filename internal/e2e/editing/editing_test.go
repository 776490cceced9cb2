package editing

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

//go:embed page.html page.js
var files embed.FS

var (
	showDiff    = flag.Bool("diff", false, "print what differs")
	showLog     = flag.Bool("log", false, "print Chromium's logs")
	onlyKind    = flag.String("kind", "", "compare the kinds of editable alone that match")
	onlyGesture = flag.String("gesture", "", "compare the gestures alone that match")
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// TestR375Gestures makes each gesture in each kind of editable, in the frame and in the tab.
func TestR375Gestures(t *testing.T) {
	site := httptest.NewServer(http.FileServerFS(files))
	t.Cleanup(site.Close)
	frame, tab := inFrame(t, site.URL), inTab(t, site.URL)
	wanted := func(pattern, name string) bool { return regexp.MustCompile(pattern).MatchString(name) }
	left := map[string]bool{} // the differences that have been met
	for _, kind := range kinds {
		if !wanted(*onlyKind, kind) {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			for _, d := range []*driver{frame, tab} {
				d.load(t)
				d.run(t, "text", "drag 0 3; key Control+c") // the same is on both clipboards
			}
			equal, count := 0, 0
			for _, g := range gestures {
				if !wanted(*onlyGesture, g.name) {
					continue
				}
				count++
				want, got := tab.run(t, kind, g.steps), frame.run(t, kind, g.steps)
				if *showLog {
					t.Logf("%s, %s:\n%s", kind, g.name, strings.Join(want, "\n"))
				}
				if slices.Equal(want, got) {
					equal++
					continue
				}
				reason := known(kind, g.name, left)
				if reason == "" {
					t.Errorf("%s: the logs differ", g.name)
				}
				if *showDiff {
					t.Logf("%s, %s: %s\n%s", kind, g.name, reason, strings.Join(diff(want, got), "\n"))
				}
			}
			t.Logf("%d of %d logs are equal", equal, count)
		})
	}
	if *onlyKind+*onlyGesture == "" {
		for _, d := range differences {
			if !left[d.reason] && !d.atTimes {
				t.Errorf("nothing differs any more: %s", d.reason)
			}
		}
	}
}

// driver drives the document in the frame, or that in the tab.
type driver struct {
	cdp     *harness.CDP
	session string
	url     string
}

// inFrame opens the document in an iframe, behind a proxy.
func inFrame(t *testing.T, site string) *driver {
	t.Helper()
	hub, page := harness.StartProxy(t, site)
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	harness.StartBrowser(t, page, false)
	hub.AwaitTitle(t, "")
	d := connect(t, hub.Port(t))
	d.url = host.Query().Get("app")
	return d
}

// inTab opens the document in a tab with the focus.
func inTab(t *testing.T, site string) *driver {
	t.Helper()
	d := connect(t, harness.StartBrowser(t, "about:blank", true).Port(t))
	d.url = site
	d.cdp.Call(t, d.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	d.cdp.Call(t, d.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 800, "height": 600, "deviceScaleFactor": 1, "mobile": false})
	return d
}

func connect(t *testing.T, port string) *driver {
	t.Helper()
	d := &driver{cdp: harness.DialCDP(t, "http://127.0.0.1:"+port)}
	d.session = d.cdp.Attach(t, d.cdp.Pages(t)[0])
	d.cdp.Call(t, d.session, "Page.enable", nil)
	return d
}

// load loads the document anew.
func (d *driver) load(t *testing.T) {
	t.Helper()
	d.cdp.Forget()
	d.cdp.Call(t, d.session, "Page.navigate", map[string]any{"url": strings.TrimSuffix(d.url, "/") + "/page.html"})
	d.cdp.Await(t, "the load event", harness.Event(d.session, "Page.loadEventFired"))
}

// page is the value of an expression of page.js.
func (d *driver) page(t *testing.T, expression string) json.RawMessage {
	t.Helper()
	var evaluated struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	result := d.cdp.Call(t, d.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if err := json.Unmarshal(result, &evaluated); err != nil || evaluated.ExceptionDetails != nil {
		t.Fatalf("%s: %v %s", expression, err, evaluated.ExceptionDetails)
	}
	return evaluated.Result.Value
}

// run makes a gesture in a new editable, and returns the lines of its log.
func (d *driver) run(t *testing.T, kind, steps string) []string {
	t.Helper()
	d.mouse(t, "mouseMoved", point{700, 500}, "none", 0, 0)
	d.page(t, fmt.Sprintf("reset(%q)", kind))
	if before, compared, prepared := strings.Cut(steps, "|"); prepared {
		d.steps(t, before)
		d.page(t, "take()")
		steps = compared
	}
	d.steps(t, steps)
	var log string
	if err := json.Unmarshal(d.page(t, "take()"), &log); err != nil {
		t.Fatal(err)
	}
	d.cdp.Forget()
	return strings.Split(log, "\n")
}

func (d *driver) steps(t *testing.T, steps string) {
	t.Helper()
	for s := range strings.SplitSeq(steps, ";") {
		s = strings.TrimSpace(s)
		d.step(t, s)
		d.page(t, fmt.Sprintf("step(%q)", s))
	}
}

// diff is an edit script of lines, with the lines that are equal left out but for their number.
func diff(want, got []string) (lines []string) {
	// The longest common subsequence, from the end.
	n, m := len(want), len(got)
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if want[i] == got[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && want[i] == got[j]:
			i, j = i+1, j+1
		case j == m || (i < n && length[i+1][j] >= length[i][j+1]):
			lines = append(lines, "  -"+want[i])
			i++
		default:
			lines = append(lines, "  +"+got[j])
			j++
		}
	}
	return lines
}
