package harness

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// playwrightReport is what Playwright's JSON reporter writes, as far as it is read.
type playwrightReport struct {
	Suites []playwrightSuite
	Errors []struct{ Message string }
}

type playwrightSuite struct {
	File   string
	Suites []playwrightSuite
	Specs  []struct {
		Title string
		Tests []playwrightTest // one for each project, which is a browser
	}
}

type playwrightTest struct {
	ProjectName string
	Annotations []struct{ Type, Description string }
	Results     []struct {
		Status string
		Errors []struct{ Message string }
	}
}

// RunPlaywright runs the Playwright project of the working directory, with these
// further variables in its environment, and makes each of its tests one of t. The
// variable SCRATCH names a folder for what it writes. It fails when less than
// fewest tests ran. PLAYWRIGHT_GREP may choose from the tests. Each outcome goes to
// record, unless that is nil: a verdict and its reason are what the test says of
// itself by an annotation, both empty where it says nothing.
func RunPlaywright(t *testing.T, fewest int, record func(title string, passed bool, verdict, reason string), env ...string) {
	t.Helper()
	NodeModules(t, ".")
	out := filepath.Join(t.TempDir(), "report.json")
	args := []string{"test", "--reporter=json"}
	only := os.Getenv("PLAYWRIGHT_GREP")
	if only != "" {
		args = append(args, "--grep", only)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", "playwright"), args...)
	cmd.Env = append(os.Environ(), "PLAYWRIGHT_JSON_OUTPUT_NAME="+out, "SCRATCH="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	runErr := cmd.Run() // it fails when a test does
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%v, %v:\n%s", runErr, err, &said)
	}
	var r playwrightReport
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Errors {
		t.Error(plain(e.Message))
	}
	count := 0
	for _, s := range r.Suites {
		count += s.tell(t, record)
	}
	if runErr != nil && !t.Failed() {
		t.Errorf("%v:\n%s", runErr, &said)
	}
	if count < fewest && only == "" {
		t.Errorf("%d tests ran, want %d or more", count, fewest)
	}
}

// NodeModules sees to it that a folder has its Node modules.
func NodeModules(t testing.TB, dir string) {
	t.Helper()
	if err := InstallNode(dir); err != nil {
		t.Fatal(err)
	}
}

// tell makes each test one of t, and returns how many there are. A spec's own "ok" is
// that of its first project alone (Playwright 1.61, the JSON reporter's _mergeSuites).
func (s playwrightSuite) tell(t *testing.T, record func(title string, passed bool, verdict, reason string)) (count int) {
	for _, spec := range s.Specs {
		for _, test := range spec.Tests {
			count++
			name := spec.Title
			if len(spec.Tests) > 1 {
				name += " in " + test.ProjectName
			}
			t.Run(name, func(t *testing.T) { test.tell(t, spec.Title, s.File, record) })
		}
	}
	for _, inner := range s.Suites {
		count += inner.tell(t, record)
	}
	return count
}

func (test playwrightTest) tell(t *testing.T, title, file string, record func(title string, passed bool, verdict, reason string)) {
	passed := len(test.Results) > 0 && test.Results[0].Status == "passed"
	if record != nil {
		verdict, reason := "", ""
		if list := test.Annotations; len(list) > 0 {
			verdict, reason = list[0].Type, list[0].Description
		}
		record(title, passed, verdict, reason)
	}
	if passed {
		return
	}
	t.Errorf("%s: it has not passed", file)
	for _, result := range test.Results {
		t.Errorf("%s: %s", file, result.Status)
		for _, e := range result.Errors {
			t.Error(plain(e.Message))
		}
	}
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
