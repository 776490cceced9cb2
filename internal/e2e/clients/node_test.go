package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// nodeModules installs what node/package-lock.json names.
var nodeModules = sync.OnceValue(func() error { return harness.InstallNode("node") })

// TestPuppeteer runs the checks in node/puppeteer.
func TestPuppeteer(t *testing.T) {
	runNode(t, "Puppeteer", "puppeteer", newEndpoint(t))
}

// TestPuppeteerBiDi runs them over WebDriver BiDi, which Puppeteer translates into CDP
// by itself (chromium-bidi).
func TestPuppeteerBiDi(t *testing.T) {
	runNode(t, "Puppeteer BiDi", "puppeteer", newEndpoint(t), "PROTOCOL=webDriverBiDi")
}

// TestChromeRemoteInterface runs the checks in node/chrome-remote-interface.mjs. The
// client takes the first socket of /json/list for that of a page.
func TestChromeRemoteInterface(t *testing.T) {
	var args []string
	if harness.ThroughHub() {
		args = append(args, "--page-sockets")
	}
	runNode(t, "chrome-remote-interface", "chrome-remote-interface", newEndpoint(t, args...))
}

// TestSelenium runs the checks in node/selenium.mjs. chromedriver drives no iframes but
// browsers: the hub has one here, unless the checks are at Chromium directly.
func TestSelenium(t *testing.T) {
	driver, err := harness.LookUp("CHROMEDRIVER", "chromedriver")
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, "Selenium", "selenium", newEndpointOf(t, wholeBrowser()), "CHROMEDRIVER="+driver)
}

// TestStagehand runs the checks in stagehand/stagehand.mjs, whose many modules have a
// folder of their own.
func TestStagehand(t *testing.T) {
	if err := harness.InstallNode("stagehand"); err != nil {
		t.Fatal(err)
	}
	runNode(t, "Stagehand", "../stagehand/stagehand", newEndpoint(t))
}

// wholeBrowser is the target of a client that drives no iframes.
func wholeBrowser() string {
	if harness.ThroughHub() {
		return "browser"
	}
	return harness.Target()
}

// runNode runs the checks of a client in node/NAME.mjs and makes each a test of its
// own.
func runNode(t *testing.T, client, name string, e *harness.Endpoint, env ...string) {
	t.Helper()
	if err := nodeModules(); err != nil {
		t.Fatal(err)
	}
	node, err := harness.LookUp("NODE", "node", "nodejs")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(scratch, filepath.Base(name))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := filepath.Join(folder, "outcomes.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, name+".mjs")
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(),
		"CDP_ENDPOINT=http://127.0.0.1:"+e.Port, "APP="+e.Site.App.URL, "TARGET="+e.Target, "PRIVILEGED="+strconv.FormatBool(harness.Privileged()),
		"OUTCOMES="+outcomes, "SCRATCH="+folder, "LACKS="+strings.Join(slices.Collect(maps.Keys(Lacks[client])), ","))
	cmd.Env = append(cmd.Env, env...)
	out, failure := cmd.CombinedOutput()
	ran := outcomesOf(t, client, e.Target, outcomes)
	if failure != nil && !t.Failed() {
		t.Errorf("node %s.mjs: %v\n%s", name, failure, out)
	}
	if ran < 20 && os.Getenv("CHECKS") == "" {
		t.Errorf("%s has %d checks, want at least 20\n%s", client, ran, out)
	}
}

// outcome is a line that a Node check leaves.
type outcome struct {
	Feature, Test, Result, Reason string

	Error string // of a check that failed
}

// outcomesOf turns the outcomes in a file into tests and returns their number.
func outcomesOf(t *testing.T, client, target, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return 0
	}
	n := 0
	for line := range bytes.Lines(text) {
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		n++
		t.Run(o.Test, func(t *testing.T) {
			if o.Error != "" {
				t.Error(o.Error)
			}
			report(t, Result{Client: client, Feature: o.Feature, Test: o.Test, Target: target, Result: o.Result, Reason: o.Reason})
		})
	}
	return n
}
