package scopes

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// savesDownloads downloads a file in the default context and in one of its own, and reads it in each
// way that Playwright has. What it answers is the texts, or the errors.
const savesDownloads = `
const { mkdtemp, readFile } = process.getBuiltinModule("node:fs/promises");
const { tmpdir } = process.getBuiltinModule("node:os");
const { join } = process.getBuiltinModule("node:path");
const browser = await chromium.connectOverCDP(endpoint, { headers: HEADERS });
const said = [];
const attempt = async (name, way) => {
  try {
    said.push(name + ": " + (await way()));
  } catch (e) {
    said.push(name + ": " + (/ENOENT/.test(e.message) ? "ENOENT" : e.message.split("\n")[0]));
  }
};
for (const context of [browser.contexts()[0], await browser.newContext()]) {
  const page = await context.newPage();
  await page.goto(site + "/own");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("get").click()]);
  await attempt("failure", () => download.failure());
  await attempt("path", async () => readFile(await download.path(), "utf8"));
  await attempt("saveAs", async () => {
    const to = join(await mkdtemp(join(tmpdir(), "saved-")), "as", download.suggestedFilename());
    await download.saveAs(to);
    return readFile(to, "utf8");
  });
  await attempt("createReadStream", async () => {
    let text = "";
    for await (const part of await download.createReadStream()) text += part;
    return text;
  });
  await page.close();
}
await browser.close();
return said.join(", ");`

// save runs savesDownloads.
func save(t *testing.T, endpoint, site, token string) string {
	t.Helper()
	headers := "{}"
	if token != "" {
		headers = `{ Authorization: "Bearer ` + token + `" }`
	}
	got := harness.StartRemote(t, endpoint, site).Run(t, strings.Replace(savesDownloads, "HEADERS", headers, 1))
	var said string
	if err := json.Unmarshal([]byte(got), &said); err != nil {
		t.Fatal(err)
	}
	return said
}

// token mints one.
func (s *stage) token(scope string) string {
	s.Helper()
	program, err := harness.CDPHub()
	if err != nil {
		s.Fatal(err)
	}
	token, err := exec.Command(program, "token", "mint", "--key", s.key, "--scope", scope, "--share", "stage").Output() //nolint:gosec // our own
	if err != nil {
		s.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// TestR333PlaywrightSavesDownloads has Playwright of the hub's machine save files as with a bare Chromium, with a
// token of scope full and of scope privileged. To Playwright of another machine, whose temporary directory
// is another, the hub gives the file by its address.
func TestR333PlaywrightSavesDownloads(t *testing.T) {
	const all = "failure: null, path: evil, saveAs: evil, createReadStream: evil"
	s := newStage(t, harness.StartBrowserHub)
	if got := save(t, "http://127.0.0.1:"+harness.StartBrowser(t, "about:blank", true).Port(t), s.site, ""); got != all+", "+all {
		t.Errorf("with a bare Chromium: %s", got)
	}
	for _, scope := range []string{"full", "privileged"} {
		if got := save(t, "http://"+s.hub.ClientAddr, s.site, s.token(scope)); got != all+", "+all {
			t.Errorf("with scope %s: %s", scope, got)
		}
	}
	here := os.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	far := newStage(t, harness.StartBrowserHub)
	t.Setenv("TMPDIR", here)
	const none = "failure: null, path: ENOENT, saveAs: ENOENT, createReadStream: " // which Playwright ends at once
	token := far.token("full")
	if got := save(t, "http://"+far.hub.ClientAddr, far.site, token); got != none+", "+none {
		t.Errorf("from another machine: %s", got)
	}
	text := far.fetch("/downloads", token, 200)
	var list struct {
		Downloads []struct{ Address, Name string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Downloads) != 2 || list.Downloads[0].Name != "evil.txt" {
		t.Fatalf("%s: %v", text, err)
	}
	for _, d := range list.Downloads {
		path := strings.TrimPrefix(d.Address, "http://"+far.hub.ClientAddr)
		if got := far.fetch(path, token, 200); got != "evil" {
			t.Errorf("%s is %q", d.Address, got)
		}
		far.fetch(path, far.token("standard"), 403)
	}
}

// fetch asks the hub.
func (s *stage) fetch(path, token string, want int) string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+s.hub.ClientAddr+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != want {
		s.Errorf("GET %s: %s, %v, want %d", path, a.Status, err, want)
	}
	return string(body)
}
