package npm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/hubtest"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// version is that of the packages under test.
const version = "1.2.3-test"

// platform is Node's name of this one.
var platform = "linux-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]

// packages builds the tarballs of cdphub and of this platform, once.
var packages = sync.OnceValues(func() ([]string, error) {
	root, out := harness.Repository(), filepath.Join(scratch, "tarballs")
	binaries := filepath.Join(scratch, "binaries")
	folder := filepath.Join(binaries, "cdphub_linux_"+runtime.GOARCH+"_v1")
	// Without -trimpath, which would compile every package again.
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", filepath.Join(folder, "cdphub"), "./cmd/cdphub")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, said)
	}
	cmd := exec.Command("node", filepath.Join(root, "npm", "build.mjs"), "--version", "v"+version,
		"--out", out, "--binaries", binaries, "--platforms", platform)
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm/build.mjs: %w\n%s", err, said)
	}
	return []string{
		filepath.Join(out, "cdphub-"+version+".tgz"),
		filepath.Join(out, "cdphub-"+platform+"-"+version+".tgz"),
	}, nil
})

// tarballs returns the packages: cdphub, then the platform's.
func tarballs(t *testing.T) []string {
	t.Helper()
	files, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// command runs in a folder, with a home of its own and no cache. npm has no registry
// but the one at this URL.
func command(t *testing.T, dir, registry, name string, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "npm_config_cache=" + filepath.Join(home, "cache"),
		"npm_config_registry=" + registry, "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false",
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// output is what a command prints to both streams. It must succeed.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// TestNpx starts from nothing but a registry.
func TestNpx(t *testing.T) {
	r := newRegistry(t, tarballs(t))
	out := output(t, command(t, t.TempDir(), r.URL, "npx", "--yes", "cdphub", "version"))
	if !strings.HasPrefix(out, "cdphub ") {
		t.Errorf("npx cdphub version prints %q", out)
	}
	if n := r.downloaded(); n > 15<<20 {
		t.Errorf("npx downloads %d bytes, more than 15 MiB", n)
	} else {
		t.Logf("npx downloads %d bytes", n)
	}
	failing := command(t, t.TempDir(), r.URL, "npx", "--yes", "cdphub", "no-such-command")
	said, err := failing.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(said), "no-such-command") {
		t.Errorf("npx cdphub no-such-command: %v\n%s", err, said)
	}
}

// installed is a folder with the tarballs installed, and with nothing else to be had.
func installed(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("consumer")); err != nil {
		t.Fatal(err)
	}
	output(t, command(t, dir, "http://127.0.0.1:9", "npm", append([]string{"install", "--offline"}, files...)...))
	return dir
}

// TestServe runs the hub by the launcher, and ends it by the launcher's process.
func TestServe(t *testing.T) {
	dir := installed(t, tarballs(t)...)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			addr := hubtest.FreeAddr(t)
			cmd := command(t, dir, "", filepath.Join(dir, "node_modules", ".bin", "cdphub"), "serve", "--client-addr", addr, "--host-addr", hubtest.FreeAddr(t))
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			harness.Eventually(t, harness.Started, func() error {
				res, err := http.Get("http://" + addr + "/health")
				if err == nil {
					res.Body.Close()
				}
				return err
			})
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ends with %v, want exit status 0, and says\n%s", err, &said)
			}
			if conn, err := net.Dial("tcp", addr); err == nil {
				conn.Close()
				t.Error("the hub runs on")
			}
		})
	}
}

// TestStdin passes the standard input to the program, as MCP clients need it.
func TestStdin(t *testing.T) {
	dir := installed(t, tarballs(t)...)
	cmd := command(t, dir, "", filepath.Join(dir, "node_modules", ".bin", "cdphub"), "mcp", "--browser", "--browser-no-sandbox")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"test","version":"1"},"capabilities":{}}}`)
	if answer, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(answer, `"serverInfo"`) {
		t.Errorf("initialize: %v, the answer is %q", err, answer)
	}
	in.Close() // by which an MCP client ends the server
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// TestWithoutProgram wants the launcher to say what to do.
func TestWithoutProgram(t *testing.T) {
	dir := installed(t, tarballs(t)[0])
	launcher := filepath.Join(dir, "node_modules", "cdphub", "bin", "cdphub.js")
	elsewhere := filepath.Join(dir, "elsewhere.mjs")
	text := fmt.Sprintf("Object.defineProperty(process, 'platform', { value: 'freebsd' });\nawait import(%q);\n", "file://"+launcher)
	if err := os.WriteFile(elsewhere, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for script, wants := range map[string][]string{
		launcher:  {"the package @cdphub/" + platform + " is not installed", "npm install --include=optional @cdphub/" + platform + "@" + version},
		elsewhere: {"there is no program for freebsd-", "linux-x64", "win32-arm64", "go install"},
	} {
		out, err := command(t, dir, "", "node", script, "version").CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%s: %v, want exit status 1", script, err)
		}
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s prints\n%s\nwithout %q", script, out, want)
			}
		}
		if strings.Contains(string(out), "    at ") {
			t.Errorf("%s prints a stack:\n%s", script, out)
		}
	}
}

// TestModules has a server import the modules, TypeScript read their types, and the
// usual linters read the package.
func TestModules(t *testing.T) {
	harness.NodeModules(t, ".")
	files := tarballs(t)
	dir := installed(t, files...)
	want := "startFrameAgent of cdphub/agent needs a browser\nnew Host() of cdphub/host needs a browser\n"
	if got := output(t, command(t, dir, "", "node", "server.mjs")); got != want {
		t.Errorf("on a server it prints\n%s\nwant\n%s", got, want)
	}
	output(t, command(t, dir, "", tool(t, "tsc"), "-p", "."))
	output(t, command(t, dir, "", tool(t, "tsc"), "-p", ".", "--module", "ESNext", "--moduleResolution", "bundler"))
	for _, file := range files {
		output(t, command(t, dir, "", tool(t, "publint"), "run", "--strict", file))
	}
	output(t, command(t, dir, "", tool(t, "attw"), "--profile", "esm-only", files[0]))
}

// TestBundle builds an app and a Host page with Vite, and drives the app through the
// hub in a browser without any debugging port.
func TestBundle(t *testing.T) {
	harness.NodeModules(t, ".")
	dir := installed(t, tarballs(t)...)
	output(t, command(t, dir, "", tool(t, "vite"), "build"))
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(dir, "dist"))))
	t.Cleanup(site.Close)
	h := harness.StartHub(t)
	page := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/host.html?" +
		url.Values{"app": {site.URL}, "hub": {"ws://" + h.HostAddr + "/icdp/host"}}.Encode()
	harness.StartBrowser(t, page, false)
	h.AwaitTitle(t, "Bundled app")
	c := harness.DialCDP(t, "http://"+h.ClientAddr)
	session := c.Attach(t, c.Pages(t)[0])
	if got := string(c.Call(t, session, "Demo.greet", map[string]any{"name": "Ann"})); got != `{"text":"Hello, Ann"}` {
		t.Errorf("Demo.greet: %s", got)
	}
	var refused *harness.CDPError
	if _, err := c.Try(t, session, "Demo.greet", nil); !errors.As(err, &refused) || refused.Code != -32602 {
		t.Errorf("Demo.greet without a name: %v, want -32602", err)
	}
	if got := c.Evaluate(t, session, "document.querySelector('button').click(), document.title"); got != `"Pressed"` {
		t.Errorf("the title is %s", got)
	}
	// The code for screenshots comes from the hub, not from the bundle.
	if got := c.Call(t, session, "Page.captureScreenshot", nil); len(got) < 100 {
		t.Errorf("a screenshot of %d bytes", len(got))
	}
}

// tool is a program of this folder's node_modules.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
