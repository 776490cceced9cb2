package axtree

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/evanw/esbuild/pkg/api"
)

// repository is the folder that holds go.mod of the product.
func repository(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller")
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// entry is the script that puts the agent's Accessibility domain, and no more of
// the agent, into a page: axTree() answers getFullAXTree.
const entry = `
import "./agent/accessibility";
import { handlerOf } from "./agent/base/registry";
globalThis.axTree = () => handlerOf("Accessibility.getFullAXTree")({}, undefined);
`

// agent bundles the domain from its sources.
func agent(t *testing.T) string {
	t.Helper()
	res := api.Build(api.BuildOptions{
		Stdin:    &api.StdinOptions{Contents: entry, ResolveDir: filepath.Join(repository(t), "web", "src"), Loader: api.LoaderTS},
		Bundle:   true,
		Write:    false,
		Format:   api.FormatIIFE,
		Target:   api.ES2020,
		Platform: api.PlatformBrowser,
	})
	for _, e := range res.Errors {
		t.Error(e.Text)
	}
	if t.Failed() {
		t.FailNow()
	}
	return string(res.OutputFiles[0].Contents)
}

// startBrowser starts a headless Chromium and returns a tab of it. Both end with
// the test.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.NoSandbox, // the pages are the test's own, and root has no sandbox
		chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("lang", "en-US"), // date fields are laid out by locale
	})
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	tab, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	// A document in an unfocused window has no focus to tell of.
	_, err := chromedp.Call(tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// serve serves the pages and returns the server's address.
func serve(t *testing.T, pages string) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(pages)))
	t.Cleanup(server.Close)
	return server.URL
}

// getFullAXTree answers with what is compared. cdproto's own types of the command
// would do too, with more to look through.
var getFullAXTree = cdp.Command[cdp.Empty, axTree]{Method: accessibility.CommandGetFullAXTree}

// trees loads a page and takes both trees of it.
func trees(ctx context.Context, url, agent string) (chromium, ours axTree, err error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return chromium, ours, err
	}
	if chromium, err = chromedp.Call(ctx, getFullAXTree, cdp.Empty{}); err != nil {
		return chromium, ours, err
	}
	ours, err = chromedp.Run(ctx, chromedp.Evaluate[axTree](agent+";axTree()"))
	return chromium, ours, err
}
