package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// examples are the clients in examples/actions.
func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(harness.Repository(), "examples", "actions", "*.mjs"))
	if err != nil || len(files) != 5 {
		t.Fatalf("the examples are %q, %v", files, err)
	}
	return files
}

// TestExamples runs the clients in examples/actions, with a token and without, on
// both kinds of targets. Each follows a link and prints the two pages.
func TestExamples(t *testing.T) {
	node := serverNode(t)
	files := examples(t)
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

// TestExamplesFail wants one sentence that says what is missing and what to do.
func TestExamplesFail(t *testing.T) {
	node := serverNode(t)
	fails := func(name string, wants []string, file string, args ...string) {
		t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node, append([]string{file}, args...)...)
			cmd.Env = append(os.Environ(), "CDPHUB_TOKEN=")
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("%v, want exit status 1", err)
			}
			if strings.Count(string(out), "\n") != 1 {
				t.Errorf("it prints\n%s\nwant one line", out)
			}
			for _, want := range wants {
				if !strings.Contains(string(out), want) {
					t.Errorf("it prints\n%s\nwithout %q", out, want)
				}
			}
		})
	}
	empty := harness.StartHub(t)
	guarded := harness.StartHub(t, "--client-token", "token-of-the-clients", "--host-token", "token-of-the-hosts")
	const page, nobody = "http://127.0.0.1:3000", "http://127.0.0.1:9" // fetch opens no connection to the port for discard
	for _, file := range examples(t) {
		fails("no page", []string{"no page", "cdphub open " + page, "--browser"}, file, "http://"+empty.ClientAddr, page)
		fails("no token", []string{"token", "CDPHUB_TOKEN"}, file, "http://"+guarded.ClientAddr, page)
		fails("no hub", []string{"No hub answers at " + nobody, "cdphub serve"}, file, nobody, page)
		fails("no arguments", []string{"node ", "http://127.0.0.1:9222"}, file)
	}
	host := filepath.Join(harness.Repository(), "examples", "browser-host.mjs")
	fails("no browser", []string{"No browser answers at " + nobody, "--remote-debugging-port"}, host, nobody, "ws://"+empty.HostAddr+"/icdp/host")
	fails("no arguments", []string{"Name a browser and a hub"}, host)
}
