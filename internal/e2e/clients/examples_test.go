package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestExamples runs the clients in examples/actions, with a token and without, on
// both kinds of targets. Each follows a link and prints the two pages.
func TestExamples(t *testing.T) {
	node := serverNode(t)
	files, err := filepath.Glob(filepath.Join(harness.Repository(), "examples", "actions", "*.mjs"))
	if err != nil || len(files) != 5 {
		t.Fatalf("the examples are %q, %v", files, err)
	}
	run := func(name, hub, app, token string) {
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), node, file, hub, app+harness.AppPage)
				cmd.Env = append(os.Environ(), "CDPHUB_TOKEN="+token)
				out, err := cmd.CombinedOutput()
				if want := "Field book\nSecond page: " + app + "/two.html\n"; err != nil || string(out) != want {
					t.Errorf("%v, it prints\n%swant\n%s", err, out, want)
				}
			})
		}
	}
	for _, kind := range kinds {
		e := harness.EndpointOf(t, kind)
		run(kind, "http://127.0.0.1:"+e.Port, e.Site.App.URL, "")
	}
	const token = "token-of-the-examples"
	site := harness.NewSite(t)
	h := harness.StartBrowserHub(t, site.App.URL+harness.AppPage, "--client-token", token, "--host-token", token+"-host")
	run("with a token", "http://"+h.ClientAddr, site.App.URL, token)
}
