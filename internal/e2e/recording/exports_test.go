package recording

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/journal"
)

// fieldsPage has a field of every type. What it sends has, of typed texts, only how long they are.
const fieldsPage = `<!doctype html><title>All fields</title><h1>All fields</h1><form id="f">
<p><label>Text <input name="text"></label> <label>Mail <input type="email" name="mail"></label> <label>Link <input type="url" name="link"></label>
<p><label>Phone <input type="tel" name="phone"></label> <label>Search <input type="search" name="q"></label> <label>Secret <input type="password" name="pw"></label>
<p><label>Count <input type="number" name="count"></label> <label>Notes <textarea name="notes"></textarea></label> <div contenteditable aria-label="Rich" id="rich"></div>
<p><label>Day <input type="date" name="day"></label> <label>Time <input type="time" name="time"></label> <label>Moment <input type="datetime-local" name="moment"></label>
<p><label>Month <input type="month" name="month"></label> <label>Week <input type="week" name="week"></label>
<p><label>Size <input type="range" name="size" max="10"></label> <label>Paint <input type="color" name="paint"></label>
<p><label><input type="checkbox" name="agree"> Agree</label> <label><input type="radio" name="fit" value="small"> Small</label> <label><input type="radio" name="fit" value="large"> Large</label>
<p><label>Sort <select name="sort"><option value="">None<option value="name">By name<option value="price">By price</select></label>
<label>Tags <select name="tags" multiple><option>red<option>green<option>blue</select></label>
<p><label>One file <input type="file" name="one"></label> <label>Files <input type="file" name="files" multiple></label>
<p><button type="submit" style="text-transform: uppercase">Send</button></form><p id="said"></p>
<script>
f.addEventListener("submit", async (event) => {
  event.preventDefault();
  const chosen = /^(checkbox|radio|select-one|select-multiple|range|color)$/, own = /^(date|time|datetime-local|month|week|email|url)$/;
  const got = {};
  for (const e of f.elements) {
    if (!e.name) continue;
    if (e.type === "file") got[e.name] = e.files.length;
    else if (/^(checkbox|radio)$/.test(e.type)) got[e.name + (e.type === "radio" ? e.value : "")] = e.checked;
    else if (e.type === "select-multiple") got[e.name] = [...e.selectedOptions].map((o) => o.value).join();
    else got[e.name] = chosen.test(e.type) ? e.value : own.test(e.type) ? e.value !== "" : e.value.length;
  }
  got.rich = rich.textContent.length;
  await fetch("/got", { method: "POST", body: JSON.stringify(got) });
  said.textContent = "Thank you";
});
</script>`

var casePages = map[string]string{
	"/fields": fieldsPage,
	"/frames": `<!doctype html><title>Frames</title><h1>Frames</h1><iframe src="/middle" width="900" height="500" style="border: 7px solid"></iframe><my-field></my-field><p id="said"></p><script>
customElements.define("my-field", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = "<label>Shadow <input></label> <button>In the shadow</button>";
    this.shadowRoot.querySelector("button").onclick = () => (said.textContent = "Shadow pressed", fetch("/got", { method: "POST", body: JSON.stringify(this.shadowRoot.querySelector("input").value.length) }));
  }
});</script>`,
	"/middle": `<!doctype html><p>Around it</p><iframe src="/fields" width="800" height="450"></iframe>`,
	"/dialogs": `<!doctype html><title>Dialogs</title><h1>Dialogs</h1><button id="a">Ask</button> <button id="c">Confirm</button><p id="said"></p><script>
const got = (text, value) => (said.textContent = text, fetch("/got", { method: "POST", body: JSON.stringify(value) }));
a.onclick = () => got("Asked", prompt("Who?").length);
c.onclick = () => got("Confirmed", confirm("Sure?"));</script>`,
	"/search": `<!doctype html><title>Search</title><h1>Search the shop</h1><form action="/results"><label>Search <input type="search" name="q"></label></form>`,
	"/results": `<!doctype html><title>Results</title><h1>Desks that we have</h1><form action="/results"><label>Search <input type="search" name="q"></label></form>
<ul><li><button aria-label="Add elm desk to cart">+</button><li><button id="" aria-label="Add oak desk to cart">+</button></ul>
<label>Password <input type="password"></label> <button>Reveal</button> <div id="more"></div><p id="said" role="status"></p><script>
const got = (text, value) => (said.textContent = text, fetch("/got", { method: "POST", body: JSON.stringify(value) }));
document.querySelectorAll("button")[1].onclick = () => got("In your cart", "oak");
document.querySelectorAll("button")[2].onclick = () => { more.innerHTML = "<button></button>"; const b = more.firstChild; b.textContent = "Forget " + document.querySelector("[type=password]").value; b.onclick = () => got("Forgotten", "all"); };</script>`,
	"/login": `<!doctype html><title>Log in</title><h1>Log in</h1><form action="/home" method="post"><label>Password <input type="password"></label> <button>Log in</button></form>`,
	"/home":  `<!doctype html><title>Home</title><h1>You are at home</h1><a href="/search">Shop</a>`,
}

// caseApp tells for each case what it got.
type caseApp struct {
	*httptest.Server
	mu   sync.Mutex
	now  string
	gots map[string][]string
}

func newCaseApp(t *testing.T) *caseApp {
	t.Helper()
	a := &caseApp{gots: map[string][]string{}}
	mux := http.NewServeMux()
	for path, text := range casePages {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, text)
		})
	}
	mux.HandleFunc("GET /case", func(_ http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now = r.URL.Query().Get("name")
	})
	mux.HandleFunc("POST /got", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.gots[a.now] = append(a.gots[a.now], string(text))
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// caseRows are the cases of cases.mjs: texts that the exported test must have, and must not have.
var caseRows = []struct {
	name, path string
	has, not   []string
}{
	{"fields", "/fields", []string{
		`selectOption([{ label: "By price" }])`, `selectOption([{ label: "red" }, { label: "blue" }])`, `getByLabel("Day", { exact: true }).fill(typed(`, `fill("7")`,
		`fill("#336699")`, `getByLabel("One file", { exact: true }).setInputFiles(files(1, 1))`, `toHaveTitle("All fields")`, `getByText("Thank you"`, `page.goto("/fields")`, `getByRole("button", { name: "Send"`,
	}, nil},
	{"keys", "/fields", []string{`press("Control+A")`, `press("Enter")`}, nil},
	{"script", "/fields", []string{`selectOption([{ label: "By name" }])`, `.check()`, `getByRole("radio", { name: "Large", exact: true }).click()`}, nil},
	{"frames", "/frames", []string{`page.frameLocator("iframe").frameLocator("iframe").getByRole("textbox", { name: "Text", exact: true })`, `getByText("Shadow pressed"`}, nil},
	{"dialogs", "/dialogs", []string{`page.once("dialog"`, `getByText("Confirmed"`}, nil},
	{"search", "/search", []string{`name: "Add oak desk to cart"`, `getByRole("heading", { name: "Desks that we have", exact: true })`, `getByText("In your cart"`, "#more > button"}, []string{"hunter2", `\u003e`}},
	{"takeover", "/login", []string{`getByRole("searchbox", { name: "Search", exact: true }).pressSequentially(typed(2, "xxx"))`, `getByRole("searchbox", { name: "Search", exact: true }).fill(typed(3, "xxx"))`, `name: "Add oak desk to cart"`}, nil},
}

// TestR345ExportedTestsDoWhatWasRecorded drives the app in every way, exports each recording, and has
// Playwright run the tests: the app gets the same again.
func TestR345ExportedTestsDoWhatWasRecorded(t *testing.T) {
	a := newCaseApp(t)
	dir, out := filepath.Join(t.TempDir(), "recordings"), t.TempDir()
	h := harness.StartBrowserHub(t, "about:blank", "--record", dir)
	chromium, err := harness.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	harness.NodeModules(t, ".")
	cmd := exec.CommandContext(t.Context(), "node", "cases.mjs")
	cmd.Env = append(os.Environ(), "CDP_ENDPOINT=http://"+h.ClientAddr, "APP="+a.URL+"/", "CHROMIUM="+chromium)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, said)
	}
	h.Stop(t)
	a.mu.Lock()
	recorded := a.gots
	a.gots = map[string][]string{}
	a.mu.Unlock()
	specs := exportCases(t, a, dir, out)
	modules, _ := filepath.Abs("node_modules")
	if err := os.Symlink(modules, filepath.Join(out, "node_modules")); err != nil {
		t.Fatal(err)
	}
	harness.RunPlaywright(t, len(specs), nil, "SPECS="+out, "CHROMIUM="+chromium)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, row := range caseRows {
		if want := recorded[row.name]; len(want) == 0 || !slices.Equal(a.gots[row.name], want) {
			t.Errorf("%s: the app got %v when it was recorded, and %v from the test", row.name, want, a.gots[row.name])
		}
	}
	if t.Failed() {
		for name, text := range specs {
			t.Logf("%s:\n%s", name, text)
		}
	}
}

// exportCases writes the tests of all cases, and returns their texts.
func exportCases(t *testing.T, a *caseApp, dir, out string) map[string]string {
	t.Helper()
	program, err := harness.CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"+journal.Extension))
	slices.Sort(files) // by time, as the cases are
	specs, only := map[string]string{}, strings.Split(os.Getenv("ONLY"), ",")
	rows := caseRows
	if only[0] != "" {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row struct {
			name, path string
			has, not   []string
		},
		) bool {
			return !slices.Contains(only, row.name)
		})
	}
	for _, file := range files {
		r, err := journal.Open(file)
		if err != nil || !strings.HasPrefix(r.Address(), a.URL) && !strings.Contains(fmt.Sprint(r.Entries), a.URL) {
			continue
		}
		if len(rows) == 0 {
			t.Fatalf("%s is of no case", file)
		}
		row := rows[0]
		rows = rows[1:]
		spec := filepath.Join(out, row.name+".spec.ts")
		if said, err := exec.Command(program, "replay", file, "--playwright", spec).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		raw, _ := os.ReadFile(spec)
		text := string(raw)
		specs[row.name] = text
		for _, want := range row.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the test has no %s", row.name, want)
			}
		}
		for _, bad := range row.not {
			if all := fmt.Sprintf("%+v", r.Entries); strings.Contains(text, bad) || strings.Contains(all, bad) {
				t.Errorf("%s: the recording has %s", row.name, bad)
			}
		}
		begins := fmt.Sprintf("test(%q", "a recording of "+a.URL+row.path)
		if !strings.Contains(text, begins) {
			t.Errorf("%s: the test does not begin at %s", row.name, row.path)
		}
		text = strings.Replace(text, "async ({ page }) => {\n", "async ({ page }) => {\n  await page.request.get(\"/case?name="+row.name+"\");\n", 1)
		if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(rows) > 0 {
		t.Errorf("%d recordings of %v are missing", len(rows), files)
	}
	return specs
}
