package main

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// patience is how long a browser may take to start on a busy machine.
const patience = 3 * time.Minute

// container is a system in a folder. Its processes see it read-only with a /tmp
// of their own, and have no capabilities, as `docker run --read-only --tmpfs
// /tmp --cap-drop ALL` starts them.
type container struct {
	root  string
	uid   string
	env   []string
	binds []string            // folders below root that the processes may write to
	user  *syscall.Credential // who they are outside; nil: the user of the test
}

func (c container) command(ctx context.Context, args ...string) *exec.Cmd {
	all := []string{
		"--unshare-user", "--unshare-pid", "--as-pid-1", "--die-with-parent", "--cap-drop", "ALL", "--uid", c.uid, "--gid", c.uid,
		"--ro-bind", c.root, "/", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev", "--clearenv",
	}
	for _, v := range c.env {
		name, value, _ := strings.Cut(v, "=")
		all = append(all, "--setenv", name, value)
	}
	for _, folder := range c.binds {
		all = append(all, "--bind", filepath.Join(c.root, folder), folder)
	}
	cmd := exec.CommandContext(ctx, "bwrap", append(append(all, "--"), args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user}
	return cmd
}

// serve starts a hub and waits until it listens. What it has logged is in the
// test's output.
func (c container) serve(t *testing.T, args ...string) {
	t.Helper()
	cmd := c.command(t.Context(), args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // bwrap's child ends with it
	cmd.WaitDelay = 20 * time.Second
	stderr, err := cmd.StderrPipe()
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
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		t.Log(lines.Text())
		if strings.Contains(lines.Text(), `"listening"`) {
			go func() {
				for lines.Scan() { // a full pipe would stop the hub
				}
			}()
			return
		}
	}
	t.Fatalf("%q does not listen", args)
}

// drive opens a page and reads from it, as a Client does.
func drive(t *testing.T, addr string, header http.Header) {
	t.Helper()
	client := &http.Client{Timeout: patience} // the browser starts with the first request
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+addr+"/json/new?about:blank", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("PUT /json/new: %s", resp.Status)
	}
	peer := hubtest.Dial(t, "ws://"+addr+"/devtools/browser", header)
	peer.Send(`{"id":1,"method":"Target.createTarget","params":{"url":"data:text/html,<title>hello</title>"}}`)
	_, target, _ := strings.Cut(peer.Until(`"id":1,`), `"targetId":"`)
	target, _, _ = strings.Cut(target, `"`)
	session := peer.Attach(target)
	peer.Send(`{"id":2,"method":"Runtime.evaluate","params":{"expression":"navigator.userAgent.includes('Chrome/')","returnByValue":true},"sessionId":"` + session + `"}`)
	if got := peer.Until(`"id":2,`); !strings.Contains(got, `"value":true`) {
		t.Errorf("Runtime.evaluate: %s", got)
	}
}

// imageOf unpacks an image and returns how it wants to be run. The hub listens
// at addr instead of all addresses of the machine.
func imageOf(t *testing.T, pattern, addr string) (container, v1.Config) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(*dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v", pattern, found, err)
	}
	img, err := tarball.ImageFromPath(found[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // the image's user must enter it
		t.Fatal(err)
	}
	layers := mutate.Extract(img)
	defer layers.Close()
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-p", "-C", root)
	unpack.Stdin = layers
	outputOf(t, unpack)
	for _, dir := range []string{"proc", "dev", "tmp"} { // where a runtime mounts
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	uid, _, _ := strings.Cut(file.Config.User, ":")
	env := slices.Concat(file.Config.Env, []string{"CDPHUB_CLIENT_ADDR=" + addr, "CDPHUB_HOST_ADDR=" + addr})
	return container{root: root, uid: uid, env: env}, file.Config
}

// healthy runs the image's health check.
func healthy(t *testing.T, c container, config v1.Config) {
	t.Helper()
	if config.Healthcheck == nil || len(config.Healthcheck.Test) < 2 || config.Healthcheck.Test[0] != "CMD" {
		t.Fatalf("the health check is %+v", config.Healthcheck)
	}
	out := outputOf(t, c.command(t.Context(), config.Healthcheck.Test[1:]...))
	if !strings.HasPrefix(out, "healthy: ") {
		t.Errorf("the health check prints %q", out)
	}
}

func TestImage(t *testing.T) {
	r := built(t)
	for name := range licensesOf {
		t.Run(name, func(t *testing.T) { testImage(t, r, name) })
	}
}

func testImage(t *testing.T, r release, name string) {
	addr := hubtest.FreeAddr(t)
	c, config := imageOf(t, name+"_"+r.Version+"_linux_"+runtime.GOARCH+".docker.tar", addr)
	if config.User != "65532:65532" {
		t.Errorf("the user is %q", config.User)
	}
	if out, err := c.command(t.Context(), config.Healthcheck.Test[1:]...).CombinedOutput(); err == nil {
		t.Errorf("healthy before it runs: %s", out)
	}
	c.serve(t, slices.Concat(config.Entrypoint, config.Cmd)...)
	healthy(t, c, config)
	if roots, err := os.ReadFile(filepath.Join(c.root, "etc/ssl/certs/ca-certificates.crt")); err != nil || strings.Count(string(roots), "BEGIN CERTIFICATE") < 50 {
		t.Errorf("certificate authorities: %d bytes, %v", len(roots), err)
	}
}

// TestImageWithBrowser drives a page with and without Chromium's own sandbox.
func TestImageWithBrowser(t *testing.T) {
	r := built(t)
	image, config := imageOf(t, "cdphub-chromium_"+r.Version+"_linux_*.docker.tar", "")
	for _, font := range []string{"noto/NotoSans-Regular.ttf", "noto/NotoColorEmoji.ttf", "wqy/wqy-zenhei.ttc", "liberation/LiberationSans-Regular.ttf"} {
		if _, err := os.Stat(filepath.Join(image.root, "usr/share/fonts/truetype", font)); err != nil {
			t.Error(err)
		}
	}
	for name, noSandbox := range map[string]string{"as it is": "true", "with a sandbox": "false"} {
		t.Run(name, func(t *testing.T) {
			c, addr := image, hubtest.FreeAddr(t)
			c.env = slices.Concat(c.env, []string{"CDPHUB_CLIENT_ADDR=" + addr, "CDPHUB_HOST_ADDR=" + addr, "CDPHUB_BROWSER_NO_SANDBOX=" + noSandbox})
			c.serve(t, slices.Concat(config.Entrypoint, config.Cmd)...)
			healthy(t, c, config)
			drive(t, addr, nil)
		})
	}
}
