package playwright

import (
	"flag"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/clients"
	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// fewest is how many tests the project has at least.
const fewest = 120

// sample is for a quick gate. What it leaves out at a browser is input and script, which
// the hub passes on without a change.
var sample = flag.Bool("sample", false, "at a browser behind the hub, run only the specs of what the hub does itself")

const (
	sampleSpecs  = "connect.spec.mjs frames.spec.mjs navigation.spec.mjs network.spec.mjs profiling.spec.mjs view.spec.mjs"
	fewestSample = 90
)

func TestChromium(t *testing.T) {
	a := newApp(t)
	b := harness.StartBrowser(t, a.own.URL+"/p?title=ready", true)
	runAt(t, "chromium", b.Port(t), a, fewest)
}

// The same browser, behind a hub.
func TestBrowserHost(t *testing.T) {
	a := newApp(t)
	h := harness.StartBrowserHub(t, a.own.URL+"/p?title=ready")
	h.AwaitTitle(t, "ready")
	if *sample {
		runAt(t, "browser", h.Port(t), a, fewestSample, "SPECS="+sampleSpecs)
		return
	}
	runAt(t, "browser", h.Port(t), a, fewest)
}

func TestHub(t *testing.T) {
	runThroughHub(t, "hub", func(page string) { harness.StartChromium(t, page, false) })
}

// A browser that has no DevTools protocol at all.
func TestFirefox(t *testing.T) {
	runThroughHub(t, "firefox", func(page string) { harness.StartFirefox(t, page) })
}

// A browser of the third engine, as it was in 2022.
func TestWebKit(t *testing.T) {
	runThroughHub(t, "webkit", func(page string) { harness.StartWebKit(t, page) })
}

// runThroughHub runs the project at a hub, whose Host page a browser opens.
func runThroughHub(t *testing.T, target string, open func(page string)) {
	a := newApp(t)
	h := harness.StartHub(t)
	hub := "http://" + h.HostAddr
	a.drivenBy(hub)
	open(hub + "/shell?" + url.Values{"app": {a.own.URL + "/p?title=ready"}, "origin": {a.otherOrigin()}}.Encode())
	h.AwaitTitle(t, "ready")
	runAt(t, target, h.Port(t), a, fewest)
}

// TestPlaywrightByABadNetwork runs the project by way of `cdphub connect`, while its network fails
// every 5 s.
func TestPlaywrightByABadNetwork(t *testing.T) {
	a := newApp(t)
	h := harness.StartHub(t)
	hub := "http://" + h.HostAddr
	a.drivenBy(hub)
	harness.StartBrowser(t, hub+"/shell?"+url.Values{"app": {a.own.URL + "/p?title=ready"}, "origin": {a.otherOrigin()}}.Encode(), false)
	h.AwaitTitle(t, "ready")
	harness.WithFaults(t, h.ClientAddr, func(port string) {
		harness.RunPlaywright(t, fewest, nil, "TARGET=hub", "CDP_ENDPOINT=http://127.0.0.1:"+port,
			"APP="+a.own.URL, "OTHER="+a.otherOrigin(), "PRIVILEGED="+strconv.FormatBool(harness.Privileged()))
	})
}

// runAt runs the project at the endpoint on a port, with these further variables in its
// environment: least tests at least.
func runAt(t *testing.T, target, port string, a *app, least int, env ...string) {
	ran, succeeded, different := 0, 0, 0
	record := func(title string, passed bool, verdict, reason string) {
		ran++
		if passed {
			succeeded++
		}
		if verdict != "" {
			different++
		}
		feature, name, _ := strings.Cut(title, ": ")
		r := clients.Result{Client: "Playwright", Feature: feature, Test: name, Target: target, Result: verdict, Reason: reason}
		if r.Result == "" {
			r.Result = clients.Works
		}
		if !passed {
			r.Result, r.Reason = clients.Fails, ""
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		if err := r.Record(); err != nil {
			t.Error(err)
		}
	}
	harness.RunPlaywright(t, least, record, append(env, "TARGET="+target, "CDP_ENDPOINT=http://127.0.0.1:"+port,
		"APP="+a.own.URL, "OTHER="+a.otherOrigin(), "PRIVILEGED="+strconv.FormatBool(harness.Privileged()))...)
	t.Logf("%d of %d tests passed, %d of them as differences.mjs says that it is here", succeeded, ran, different)
}
