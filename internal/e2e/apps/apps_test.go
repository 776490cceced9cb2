package apps

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

func TestReact(t *testing.T)  { testApp(t, "react") }
func TestVue(t *testing.T)    { testApp(t, "vue") }
func TestSvelte(t *testing.T) { testApp(t, "svelte") }

// testApp runs the specs of an app, built and in development, at Chromium itself
// and at a proxy in front of the app, whose Host page is in a browser without any
// DevTools port.
func testApp(t *testing.T, name string) {
	harness.NodeModules(t, ".")
	built := serve(t, build(t, name))
	t.Run("chromium", func(t *testing.T) {
		b := harness.StartBrowser(t, built, true)
		runSpec(t, "apps", 20, b.Port(t))
	})
	proxied := func(open func(page string)) func(t *testing.T) {
		return func(t *testing.T) { runSpec(t, "apps", 20, proxy(t, built, name, open)) }
	}
	t.Run("proxy", proxied(func(page string) { harness.StartBrowser(t, page, false) }))
	t.Run("firefox", proxied(func(page string) { harness.StartFirefox(t, page) }))
	t.Run("dev-chromium", func(t *testing.T) {
		app, sources := develop(t, name)
		b := harness.StartBrowser(t, app, true)
		runSpec(t, "dev", 3, b.Port(t), "NAME="+name, "SOURCES="+sources)
	})
	t.Run("dev-proxy", func(t *testing.T) {
		app, sources := develop(t, name)
		port := proxy(t, app, name, func(page string) { harness.StartBrowser(t, page, false) })
		runSpec(t, "dev", 3, port, "NAME="+name, "SOURCES="+sources)
	})
}

// proxy puts a proxy in front of an app, opens its Host page, and returns the port
// for clients.
func proxy(t *testing.T, app, title string, open func(page string)) string {
	h, page := harness.StartProxy(t, app)
	open(page)
	h.AwaitTitle(t, title)
	return h.Port(t)
}

func runSpec(t *testing.T, spec string, fewest int, port string, env ...string) {
	harness.RunPlaywright(t, fewest, nil, append(env, "SPEC="+spec+".spec.mjs", "CDP_ENDPOINT=http://127.0.0.1:"+port)...)
}

// build returns the folder of a built app.
func build(t *testing.T, name string) string {
	out := filepath.Join(t.TempDir(), name)
	cmd := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", "vite"),
		"build", "--mode", name, "--outDir", out, "--logLevel", "warn")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("vite: %v\n%s", err, said)
	}
	return out
}

// serve serves a folder, and its index.html at every other path, which is the
// router's. It returns the URL.
func serve(t *testing.T, dir string) string {
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(dir, filepath.Clean(r.URL.Path))); err != nil {
			r.URL.Path = "/"
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// develop runs an app's development server on a copy of its sources, and returns
// both.
func develop(t *testing.T, name string) (url, sources string) {
	sources = t.TempDir()
	cmd := exec.Command("node", "dev.mjs", name, sources)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the development server names no address: %v", err)
	}
	return strings.TrimSpace(line), sources
}
