package apps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// loopback keeps a browser on this machine: every other name is one that does not exist.
const loopback = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"

// TestR390FinishedApplications drives applications that nobody edits, by one script each,
// in a tab of Chromium and in the iframe of `cdphub proxy`. What the script reads is the
// same, so are the accessibility snapshots, and the console has no more errors.
func TestR390FinishedApplications(t *testing.T) {
	harness.NodeModules(t, ".")
	harness.NodeModules(t, "finished")
	for _, app := range []struct {
		name  string
		start func(t *testing.T) (url string)
	}{
		{"wordpress", wordpress}, // prints its own origin in its pages
		{"node-red", nodeRED},    // has Monaco, and asks before it is left
		{"dokuwiki", dokuWiki},   // is of PHP, and asks before it is left
		{"actual", actual},       // is cross-origin isolated
		{"svgedit", svgEdit},     // reads top
		{"tiddlywiki", tiddly},   // writes into windows that it opens
	} {
		t.Run(app.name, func(t *testing.T) {
			at := app.start(t)
			direct := drive(t, app.name, at, harness.StartChromium(t, at, true, loopback).Port(t))
			at = app.start(t) // anew: the script has changed what the first one keeps
			h, page := harness.StartProxy(t, at)
			harness.StartChromium(t, page, false, loopback)
			harness.Eventually(t, harness.Started, func() error {
				s, err := h.Status()
				if err == nil && len(s.Targets) == 0 {
					err = errors.New("there is no target yet")
				}
				return err
			})
			compare(t, direct, drive(t, app.name, appOf(t, page), h.Port(t)))
		})
	}
}

// findings is what a script has read.
type findings struct {
	Values    map[string]any    // by the step
	Snapshots map[string]string // by the step
	Errors    []string          // of the console, and those of the page that nothing has caught
}

// drive runs the script of an application.
func drive(t *testing.T, name, url, port string) (f findings) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "finished/drive.mjs", name)
	cmd.Env = append(os.Environ(), "APP="+strings.TrimSuffix(url, "/"), "CDP_ENDPOINT=http://127.0.0.1:"+port)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	if err == nil && (len(f.Values) < 7 || len(f.Snapshots) == 0) {
		err = fmt.Errorf("it has read %d values and %d snapshots", len(f.Values), len(f.Snapshots))
	}
	if err != nil {
		t.Fatalf("%s at %s: %v\n%s", name, url, err, &said)
	}
	return f
}

func compare(t *testing.T, direct, framed findings) {
	for step, want := range direct.Values {
		if got := framed.Values[step]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	for step, want := range direct.Snapshots {
		if got := framed.Snapshots[step]; got != want {
			t.Errorf("%s: the snapshot is\n%s\nwant\n%s", step, got, want)
		}
	}
	left := map[string]int{}
	for _, e := range direct.Errors {
		left[e]++
	}
	for _, e := range framed.Errors {
		if left[e]--; left[e] < 0 {
			t.Errorf("one more error: %s", e)
		}
	}
}

// ------------------------------------------------------------- the applications

// wordpress is Debian's, with a database of its own.
func wordpress(t *testing.T) string {
	dir := socketDir(t)
	needs(t, "/usr/share/wordpress/wp-load.php", "/usr/share/wordpress/wp-content/themes/twentytwentyone")
	program(t, "mariadb-install-db", "--no-defaults", "--user=root", "--datadir="+dir+"/db", "--auth-root-authentication-method=normal", "--skip-test-db")
	socket := filepath.Join(dir, "socket")
	background(t, "mariadbd", "--no-defaults", "--user=root", "--datadir="+dir+"/db", "--skip-networking", "--socket="+socket, "--pid-file="+dir+"/pid")
	harness.Eventually(t, harness.Started, func() error {
		return exec.Command("mariadb", "--no-defaults", "--socket="+socket, "-e", "CREATE DATABASE IF NOT EXISTS wordpress").Run()
	})
	site := filepath.Join(dir, "site")
	program(t, "cp", "-rL", "/usr/share/wordpress", site)
	addr := hubtest.FreeAddr(t)
	write(t, filepath.Join(site, "wp-config.php"), fmt.Sprintf(`<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:%s');
define('WP_HOME', 'http://%s'); define('WP_SITEURL', WP_HOME);
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_DEFAULT_THEME', 'twentytwentyone');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $of) { define($of . '_KEY', 'k'); define($of . '_SALT', 's'); }
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`, socket, addr))
	write(t, filepath.Join(dir, "install.php"), `<?php
define('WP_INSTALLING', true); $_SERVER['HTTP_HOST'] = 'localhost'; $_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1'; $_SERVER['REQUEST_METHOD'] = 'GET';
require $argv[1] . '/wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('A weblog', 'ada', 'ada@example.com', false, '', 'Countess 1815');
`)
	program(t, "php", "-d", "sendmail_path=/bin/true", filepath.Join(dir, "install.php"), site)
	return php(t, addr, site)
}

// dokuWiki is Debian's, which anybody may edit.
func dokuWiki(t *testing.T) string {
	dir := t.TempDir()
	needs(t, "/usr/share/dokuwiki/doku.php")
	program(t, "cp", "-rL", "/etc/dokuwiki", dir+"/conf")
	program(t, "cp", "-rL", "/var/lib/dokuwiki/data", dir+"/data")
	write(t, dir+"/conf/local.php", "<?php $conf['title'] = 'A wiki'; $conf['useacl'] = 0; $conf['savedir'] = '"+dir+"/data'; $conf['autosave'] = 0;\n")
	write(t, dir+"/prepend.php", "<?php define('DOKU_CONF', '"+dir+"/conf/');\n")
	return php(t, hubtest.FreeAddr(t), "/usr/share/dokuwiki", "-d", "auto_prepend_file="+dir+"/prepend.php")
}

// php serves a folder by PHP's own server.
func php(t *testing.T, addr, dir string, flags ...string) string {
	cmd := exec.Command("php", append(flags, "-S", addr, "-t", dir)...)
	cmd.Env = append(os.Environ(), "PHP_CLI_SERVER_WORKERS=4")
	begin(t, cmd)
	return await(t, "http://"+addr+"/")
}

func nodeRED(t *testing.T) string {
	dir := t.TempDir()
	addr := hubtest.FreeAddr(t)
	host, port, _ := strings.Cut(addr, ":")
	write(t, dir+"/settings.js", fmt.Sprintf(`module.exports = {
  uiHost: %q, uiPort: %s, userDir: %q, flowFile: "flows.json", credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, palette: { catalogues: [] }, codeEditor: { lib: "monaco" } },
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
  logging: { console: { level: "warn" } },
};
`, host, port, dir))
	background(t, "node", "finished/node_modules/node-red/red.js", "--settings", dir+"/settings.js")
	return await(t, "http://"+addr+"/")
}

func tiddly(t *testing.T) string {
	dir := t.TempDir()
	run := "finished/node_modules/tiddlywiki/tiddlywiki.js"
	program(t, "node", run, dir+"/wiki", "--init", "server")
	addr := hubtest.FreeAddr(t)
	host, port, _ := strings.Cut(addr, ":")
	background(t, "node", run, dir+"/wiki", "--listen", "host="+host, "port="+port)
	return await(t, "http://"+addr+"/")
}

func svgEdit(t *testing.T) string {
	return files(t, "finished/node_modules/svgedit/dist/editor", nil)
}

// actual is served with the headers that its own _headers asks for.
func actual(t *testing.T) string {
	return files(t, "finished/node_modules/@actual-app/web/build", func(h http.Header) {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	})
}

// files serves a folder, and its index.html at other paths.
func files(t *testing.T, dir string, head func(http.Header)) string {
	served := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if head != nil {
			head(w.Header())
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.Clean(r.URL.Path))); err != nil && filepath.Ext(r.URL.Path) == "" {
			r.URL.Path = "/"
		}
		served.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// ---------------------------------------------------------------------- helpers

// appOf is where the proxy that names a Host page has its app.
func appOf(t *testing.T, page string) string {
	t.Helper()
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return host.Query().Get("app")
}

// needs fails where Debian's packages are not installed.
func needs(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%v: make test-clients installs what these tests need", err)
		}
	}
}

// socketDir is a folder whose path is short enough for a socket.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program runs a program to its end.
func program(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// background runs a server until the end of the test.
func background(t *testing.T, name string, args ...string) {
	t.Helper()
	begin(t, exec.Command(name, args...))
}

// begin is background for a command. It ends the server's workers with it.
func begin(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if t.Failed() {
			text := said.String()
			t.Logf("%s said:\n%s", cmd.Path, text[max(0, len(text)-4000):])
		}
	})
}

// await waits until a server answers.
func await(t *testing.T, url string) string {
	t.Helper()
	harness.Eventually(t, harness.Started, func() error {
		res, err := http.Get(url)
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode >= http.StatusInternalServerError {
			return errors.New(res.Status)
		}
		return nil
	})
	return url
}
