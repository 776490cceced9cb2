package apps

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// fewest is how many tests each app has at least.
const fewest = 20

func TestReact(t *testing.T)  { testApp(t, "react") }
func TestVue(t *testing.T)    { testApp(t, "vue") }
func TestSvelte(t *testing.T) { testApp(t, "svelte") }

// testApp builds and serves an app and runs the Playwright project at Chromium
// itself and at a proxy in front of the app.
func testApp(t *testing.T, name string) {
	app := serve(t, build(t, name))
	t.Run("chromium", func(t *testing.T) {
		b := harness.StartBrowser(t, app, true)
		harness.RunPlaywright(t, fewest, "CDP_ENDPOINT=http://127.0.0.1:"+b.Port(t))
	})
	t.Run("proxy", func(t *testing.T) {
		h, page := harness.StartProxy(t, app)
		harness.StartBrowser(t, page, false)
		h.AwaitTitle(t, name)
		harness.RunPlaywright(t, fewest, "CDP_ENDPOINT=http://127.0.0.1:"+h.Port(t))
	})
}

// build returns the folder of a built app.
func build(t *testing.T, name string) string {
	harness.NodeModules(t)
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
