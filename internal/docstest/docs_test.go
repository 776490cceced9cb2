package docstest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

const root = "../.."

// TestBlocksAreDeclared: each command and each program of the documentation has a
// test, or says why not. internal/e2e/docs runs them.
func TestBlocksAreDeclared(t *testing.T) {
	blocks, err := Blocks(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.Kind == "" {
			t.Errorf("%s:%d: no test is declared above this block of %s; write <!-- test: run --> or see internal/docstest", b.File, b.Line, b.Lang)
		}
		if b.Lang == "json" && !json.Valid([]byte(b.Text)) {
			t.Errorf("%s:%d: this is not JSON", b.File, b.Line)
		}
	}
	for _, page := range pages(t) {
		for n, line := range strings.Split(page.prose, "\n") {
			if indented.MatchString(line) {
				t.Errorf("%s:%d: write this command into a block of sh, which a test runs", page.file, n+1)
			}
		}
	}
}

// programs are those that the documentation runs.
var programs = strings.Fields(`cdphub cdphub-cluster ./cdphub_VERSION_linux_amd64/cdphub agent-browser apt claude cp curl dnf docker editor export go
	journalctl kubectl make node npm npx printf sha256sum sudo systemctl systemd-run tab=$(agent-browser tar`)

// TestLinesOfShellAreCommands: each line of a block is one command, also of a block that
// no test runs. A line that was wrapped like prose is none.
func TestLinesOfShellAreCommands(t *testing.T) {
	blocks, err := Blocks(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.Lang != "sh" {
			continue
		}
		continues := false
		for n, line := range strings.Split(b.Text, "\n") {
			program, _, _ := strings.Cut(line, " ")
			if !continues && line != "" && !slices.Contains(programs, program) || strings.Count(line, " # ") > 1 {
				t.Errorf("%s:%d: this is not one command of a known program: %s", b.File, b.Line+n, line)
			}
			continues = strings.HasSuffix(line, "\\")
		}
	}
}

// TestNoPackageOfStrangers: until a release is on npm, no command that a reader may copy takes cdphub by
// its name from there, but for those under a heading about a release.
func TestNoPackageOfStrangers(t *testing.T) {
	blocks, err := Blocks(root)
	if err != nil {
		t.Fatal(err)
	}
	byName := regexp.MustCompile(`npx (-\S+ )*cdphub|npm (install|i|exec|create) .*\bcdphub\b|"npx".*"cdphub"`)
	for _, b := range blocks {
		for line := range strings.Lines(b.Text) {
			if byName.MatchString(line) && !strings.Contains(line, ".tgz") && (b.File != "docs/npm.md" || b.Reason != "needs a release") {
				t.Errorf("%s:%d: this runs what a stranger may have put on npm: %s", b.File, b.Line, line)
			}
		}
	}
}

// TestR324MetricsExist: each metric that the documentation, an alert or the dashboard names is one of the
// program, or of the libraries for Prometheus.
func TestR324MetricsExist(t *testing.T) {
	metric := regexp.MustCompile(`\b(?:cdphub|go|process)_[a-z_]*[a-z]\b`)
	known := map[string]bool{"go_goroutines": true, "process_resident_memory_bytes": true}
	for _, folder := range []string{"server", "internal/cli", "relay"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile(`"(cdphub_[a-z_]+)"`).FindAllStringSubmatch(string(text), -1) {
				known[m[1]], known[m[1]+"_bucket"], known[m[1]+"_count"], known[m[1]+"_sum"] = true, true, true, true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all := append(pages(t), read(t, "packaging/prometheus/alerts.yaml"), read(t, "packaging/prometheus/dashboard.json"))
	named := 0
	for _, page := range all {
		if page.file == "docs/install.md" { // which has the names of archives
			continue
		}
		for n, line := range strings.Split(page.text, "\n") {
			for _, name := range metric.FindAllString(line, -1) {
				named++
				if !known[name] {
					t.Errorf("%s:%d: there is no metric %s", page.file, n+1, name)
				}
			}
		}
	}
	if named < 60 || len(known) < 150 {
		t.Errorf("%d metrics are named, and %d exist", named, len(known)/4)
	}
}

// TestReadmeIsShort: a newcomer reads it in a minute; everything else has a page
// below docs.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 130 {
		t.Errorf("README.md has %d lines, want 130 at most", n)
	}
}

// foreign are the options in the documentation that belong to other programs.
var foreign = slices.Concat(
	[]string{"cdp"},                       // agent-browser
	[]string{"cdp-endpoint", "transport"}, // Playwright MCP, Claude Code
	[]string{"port"},                      // Lighthouse
	[]string{"no-sandbox", "proxy-server", "remote-debugging-port"},                           // Chromium
	[]string{"global", "include", "no-install", "no-optional", "offline", "omit", "save-dev"}, // npm
	[]string{"cap-drop", "log-opt", "read-only", "rm", "tmpfs"},                               // docker
	[]string{"check", "ignore-missing", "now", "since"},                                       // sha256sum, systemctl
	[]string{"collect", "pipe", "wait"},                                                       // systemd-run
	[]string{"unix-socket"},                                                                   // curl
)

// TestOptionsExist: each --option in the documentation is one of cdphub, and so is
// each variable CDPHUB_NAME.
func TestOptionsExist(t *testing.T) {
	alone := optionsOf(t, "cmd/cdphub")
	node := optionsOf(t, "internal/cluster/nats/cmd/cdphub-cluster")
	for _, page := range pages(t) {
		known := alone
		if page.file == "docs/cluster.md" || page.file == "docs/troubleshooting.md" { // with what nodes say
			known = node
		}
		for n, line := range strings.Split(page.text, "\n") {
			for _, m := range option.FindAllStringSubmatch(line, -1) {
				if name := m[1]; !known[name] && !known[strings.TrimPrefix(name, "no-")] {
					t.Errorf("%s:%d: --%s is an option of no command", page.file, n+1, name)
				}
			}
			for _, name := range variables.FindAllString(line, -1) {
				if !known[name] {
					t.Errorf("%s:%d: %s is the variable of no option", page.file, n+1, name)
				}
			}
		}
	}
}

var (
	option    = regexp.MustCompile(`(?:^|[\s"'(` + "`" + `=\[])--([a-z][a-z0-9-]*)`)
	variables = regexp.MustCompile(`\bCDPHUB_[A-Z_]+\b`)
	indented  = regexp.MustCompile(`^ {4}(cdphub|make|curl|npm|npx|node|go|agent-browser) `) // a command
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unlinked  = regexp.MustCompile(`[^\p{L}\p{M}\p{N} _-]`) // what the address of a heading leaves out
)

// optionsOf are the options of the program in a folder, their variables, and the options
// of other programs.
func optionsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	program, err := hubtest.Program(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	help := func(args ...string) string {
		out, err := exec.Command(program, append(args, "--help-all")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q --help-all: %v\n%s", folder, args, err, out)
		}
		return string(out)
	}
	known := map[string]bool{}
	for _, o := range foreign {
		known[o] = true
	}
	text := help()
	_, commands, _ := strings.Cut(text, "Commands:")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z]+)?)  `).FindAllStringSubmatch(commands, -1) {
		text += help(strings.Fields(m[1])...)
	}
	for _, o := range regexp.MustCompile(`--(?:\[no-\])?([a-z][a-z0-9-]*)`).FindAllStringSubmatch(text, -1) {
		known[o[1]] = true
	}
	for _, v := range variables.FindAllString(text, -1) {
		known[v] = true
	}
	return known
}

// TestLinks: each link between files of the repository leads to a file, and to a
// heading of it.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"`)
	for _, page := range append(pages(t), read(t, "CONTRIBUTING.md")) {
		for n, line := range strings.Split(page.prose, "\n") {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				target, anchor, _ := strings.Cut(m[1]+m[2], "#")
				if strings.Contains(target, "://") {
					continue
				}
				file := page.file
				if target != "" {
					file = path.Join(path.Dir(page.file), target)
				}
				if _, err := os.Stat(filepath.Join(root, file)); err != nil {
					t.Errorf("%s:%d: there is no %s", page.file, n+1, file)
				} else if anchor != "" && !slices.Contains(read(t, file).anchors(), anchor) {
					t.Errorf("%s:%d: %s has no heading #%s", page.file, n+1, file, anchor)
				}
			}
		}
	}
}

// document is a page; prose is its text with its blocks emptied.
type document struct{ file, text, prose string }

func pages(t *testing.T) []document {
	t.Helper()
	names, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	var all []document
	for _, name := range names {
		all = append(all, read(t, name))
	}
	return all
}

func read(t *testing.T, file string) document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file)) //nolint:gosec // a page of the repository
	if err != nil {
		t.Fatal(err)
	}
	d := document{file: file, text: string(text)}
	inside := false
	for line := range strings.Lines(d.text) {
		if fenced := fence.MatchString(line); fenced || inside {
			line, inside = "\n", inside != fenced
		}
		d.prose += line
	}
	return d
}

// anchors are the headings as GitHub and the site name them.
func (d document) anchors() []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(d.prose, -1) {
		name := unlinked.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}
