package playwright

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// fewest is how many tests the project has at least.
const fewest = 120

func TestChromium(t *testing.T) {
	a := newApp(t)
	b := harness.StartBrowser(t, a.own.URL+"/p?title=ready", true)
	runAt(t, "chromium", b.Port(t), a)
}

func TestHub(t *testing.T) {
	runThroughHub(t, "hub", func(page string) { harness.StartBrowser(t, page, false) })
}

// A browser that has no DevTools protocol at all.
func TestFirefox(t *testing.T) {
	runThroughHub(t, "firefox", func(page string) { harness.StartFirefox(t, page) })
}

// runThroughHub runs the project at a hub, whose Host page a browser opens.
func runThroughHub(t *testing.T, target string, open func(page string)) {
	a := newApp(t)
	h := harness.StartHub(t)
	hub := "http://" + h.HostAddr
	a.drivenBy(hub)
	open(hub + "/shell?" + url.Values{"app": {a.own.URL + "/p?title=ready"}, "origin": {a.otherOrigin()}}.Encode())
	harness.Eventually(t, 30*time.Second, func() error {
		s, err := h.Status()
		if err == nil && (len(s.Targets) != 1 || s.Targets[0].Title != "ready") {
			err = fmt.Errorf("the hub has %+v, want the app", s.Targets)
		}
		return err
	})
	runAt(t, target, h.Port(t), a)
}

// report is what Playwright's JSON reporter writes, as far as it is read.
type report struct {
	Suites []suite
	Errors []struct{ Message string }
}

type suite struct {
	File   string
	Suites []suite
	Specs  []struct {
		Title string
		OK    bool
		Tests []struct {
			Results []struct {
				Status   string
				Duration int
				Errors   []struct{ Message string }
			}
		}
	}
}

// runAt runs the project at the endpoint on a port and makes each of its tests
// one of t.
func runAt(t *testing.T, target, port string, a *app) {
	if _, err := os.Stat("node_modules"); err != nil {
		if err := harness.InstallNode("."); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "report.json")
	args := []string{"test", "--reporter=json"}
	if only := os.Getenv("PLAYWRIGHT_GREP"); only != "" {
		args = append(args, "--grep", only)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", "playwright"), args...)
	cmd.Env = append(os.Environ(), "PLAYWRIGHT_JSON_OUTPUT_NAME="+out, "TARGET="+target,
		"CDP_ENDPOINT=http://127.0.0.1:"+port, "APP="+a.own.URL, "OTHER="+a.otherOrigin(), "SCRATCH="+t.TempDir())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	runErr := cmd.Run() // it fails when a test does
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%v, %v:\n%s", runErr, err, &said)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Errors {
		t.Error(plain(e.Message))
	}
	count := 0
	for _, s := range r.Suites {
		count += s.tell(t)
	}
	if count < fewest && os.Getenv("PLAYWRIGHT_GREP") == "" {
		t.Errorf("%d tests ran, want %d or more", count, fewest)
	}
}

func (s suite) tell(t *testing.T) int {
	count := len(s.Specs)
	for _, spec := range s.Specs {
		t.Run(spec.Title, func(t *testing.T) {
			if spec.OK && spec.Tests[0].Results[0].Status == "passed" {
				return
			}
			for _, test := range spec.Tests {
				for _, result := range test.Results {
					t.Errorf("%s: %s", s.File, result.Status)
					for _, e := range result.Errors {
						t.Error(plain(e.Message))
					}
				}
			}
		})
	}
	for _, inner := range s.Suites {
		count += inner.tell(t)
	}
	return count
}

// plain takes the colours out of a message.
func plain(message string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(message, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, message, _ = strings.Cut(rest, "m")
	}
}
