package recording

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/journal"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// app is a form, and a list behind it. Its pages have the agent of a hub, if there is
// one.
type app struct {
	*httptest.Server
	mu       sync.Mutex
	agent    string
	requests int
	saved    []string
}

const form = `<!doctype html><title>%s</title>%s<h1>%[1]s</h1>
<form id="form"><label>Name <input name="name"></label> <label>Password <input type="password" name="password"></label>
<label><input type="checkbox" name="agree"> I agree</label> <button>Save</button> <button type="button">Save all</button></form>
<p role="status"></p><a href="/list">List</a>
<script>
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const data = new FormData(form);
  const response = await fetch("/save", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(Object.fromEntries(data)) });
  console.log("saved for " + data.get("name") + " with " + data.get("password"));
  document.querySelector("[role=status]").textContent = (await response.json()).message;
});
</script>`

func newApp(t *testing.T) *app {
	t.Helper()
	a := new(app)
	page := func(title string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.requests++
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, form, title, a.agent)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", page("Form"))
	mux.HandleFunc("GET /list", page("List"))
	mux.HandleFunc("POST /save", func(w http.ResponseWriter, r *http.Request) {
		var got map[string]string
		err := json.NewDecoder(r.Body).Decode(&got)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.requests++
		a.saved = append(a.saved, fmt.Sprintf("name of %d, password of %d, agree %s, %v", len(got["name"]), len(got["password"]), got["agree"], err))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"message":"Saved"}`)
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// took returns what was saved since it was called last, and how many requests came.
func (a *app) took() (saved []string, requests int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	saved, requests = a.saved, a.requests
	a.saved, a.requests = nil, 0
	return saved, requests
}

// typedLengths is what the app gets of each run: what is typed has the length of what
// was typed.
const typedLengths = "name of 17, password of 8, agree on, <nil>"

func (a *app) wantsSaved(t *testing.T, who string) {
	t.Helper()
	if saved, _ := a.took(); len(saved) != 1 || saved[0] != typedLengths {
		t.Errorf("%s: the app got %q, want %q once", who, saved, typedLengths)
	}
}

func TestBrowser(t *testing.T) {
	a := newApp(t)
	dir := filepath.Join(t.TempDir(), "recordings")
	h := harness.StartBrowserHub(t, "about:blank", "--record", dir, "--record-text")
	drive(t, h, a, dir, "")
	exports(t, a, dir, true)
}

// TestPrivateContext drives a page that no other Client can see.
func TestPrivateContext(t *testing.T) {
	a := newApp(t)
	dir := filepath.Join(t.TempDir(), "recordings")
	h := harness.StartBrowserHub(t, "about:blank", "--record", dir)
	drive(t, h, a, dir, "new")
	exports(t, a, dir, false)
}

func TestFrame(t *testing.T) {
	a := newApp(t)
	dir := filepath.Join(t.TempDir(), "recordings")
	h := harness.StartHub(t, "--record", dir)
	a.agent = fmt.Sprintf(`<script src="http://%s/agent.js" data-parents="http://%[1]s"></script>`, h.HostAddr)
	harness.StartBrowser(t, "http://"+h.HostAddr+"/shell?"+url.Values{"app": {a.URL + "/"}}.Encode(), false)
	h.AwaitTitle(t, "Form")
	drive(t, h, a, dir, "")
	a.mu.Lock()
	a.agent = ""
	a.mu.Unlock()
	exports(t, a, dir, false)
}

// drive goes through the form, and ends the hub.
func drive(t *testing.T, h *harness.Hub, a *app, recordings, context string) {
	t.Helper()
	harness.NodeModules(t, ".")
	cmd := exec.CommandContext(t.Context(), "node", "drive.mjs")
	cmd.Env = append(os.Environ(), "CDP_ENDPOINT=http://"+h.ClientAddr, "APP="+a.URL+"/", "CONTEXT="+context, "RECORDINGS="+recordings)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	h.Stop(t)
	a.wantsSaved(t, "Playwright")
}

// exports looks for what was typed in all that was written, and runs each export.
func exports(t *testing.T, a *app, dir string, har bool) {
	t.Helper()
	recording := nothingTyped(t, dir, "Zaphod", "Beeblebrox", "hunter2")
	program, err := harness.CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	spec, flow, requests := filepath.Join(out, "recorded.spec.ts"), filepath.Join(out, "flow.json"), filepath.Join(out, "app.har")
	cmd := exec.CommandContext(t.Context(), program, "replay", recording, "--playwright", spec, "--chrome-recorder", flow, "--har", requests)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cdphub replay: %v\n%s", err, said)
	}
	nothingTyped(t, out, "Zaphod", "Beeblebrox", "hunter2")
	chromium, err := harness.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			text, _ := os.ReadFile(spec)
			t.Logf("%s", text)
		}
	}()
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(out, "node_modules")); err != nil {
		t.Fatal(err)
	}
	a.took()
	harness.RunPlaywright(t, 1, nil, "SPECS="+out, "CHROMIUM="+chromium)
	a.wantsSaved(t, "the test of Playwright")

	run := exec.CommandContext(t.Context(), "node", "replay.mjs", flow)
	run.Env = append(os.Environ(), "CHROMIUM="+chromium)
	if said, err := run.CombinedOutput(); err != nil {
		text, _ := os.ReadFile(flow)
		t.Errorf("%v:\n%s\n%s", err, said, text)
	}
	a.wantsSaved(t, "Chrome's Recorder")

	if !har {
		return
	}
	harness.RunPlaywright(t, 2, nil, "SPECS=specs", "CHROMIUM="+chromium, "HAR="+requests, "APP="+a.URL+"/", "REPLAY="+served(t, program, recording))
	if _, n := a.took(); n != 0 {
		t.Errorf("the app got %d requests of a page that runs from a HAR file", n)
	}
}

// served is the address of the page of a recording.
func served(t *testing.T, program, recording string) string {
	t.Helper()
	cmd := exec.Command(program, "replay", recording, "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	harness.Start(t, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "The recording is at "))
}

// nothingTyped finds no file below a folder in which there is what was typed, and
// returns the recording.
func nothingTyped(t *testing.T, dir string, typed ...string) (recording string) {
	t.Helper()
	pictures := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.HasSuffix(name, ".zst") {
			recording = larger(recording, name)
			text = entries(t, name)
		}
		if strings.HasSuffix(name, ".jpg") {
			pictures++
		}
		for _, secret := range typed {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s has %q", name, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if recording != "" && pictures == 0 {
		t.Error("there are no pictures")
	}
	return recording
}

// entries are those of a recording, as JSON.
func entries(t *testing.T, name string) []byte {
	t.Helper()
	r, err := journal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// larger is the larger of two files: a page that nobody drives has a recording, too.
func larger(a, b string) string {
	first, err := os.Stat(a)
	if err != nil {
		return b
	}
	if second, err := os.Stat(b); err == nil && second.Size() > first.Size() {
		return b
	}
	return a
}
