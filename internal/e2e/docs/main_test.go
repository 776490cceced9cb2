package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// scratch is the folder of everything the run leaves behind.
var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// projects have Node modules that the documentation uses.
var projects = []string{"..", "../playwright", "../clients/node"}

// packages are what the programs in the documentation import.
var packages = []string{"playwright-core", "@playwright/test", "puppeteer-core", "chrome-remote-interface", "selenium-webdriver"}

// npx stands in place of the program that downloads from the registry: it runs
// what the lock files of the end-to-end tests have installed.
const npx = `#!/bin/sh
[ "$1" = -y ] && shift
case $1 in
@playwright/mcp*) program=playwright-mcp ;;
*) program=${1%@*} ;;
esac
shift
exec "$program" "$@"
`

// install makes once what a reader of the documentation has: the programs on the
// PATH, and the folder of modules that npm install puts beside a program.
var install = sync.OnceValues(func() (modules string, err error) {
	cdphub, err := harness.CDPHub()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(scratch, "bin")
	modules = filepath.Join(scratch, "node_modules")
	for _, dir := range []string{bin, filepath.Join(modules, "@playwright")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "npx"), []byte(npx), 0o700); err != nil { //nolint:gosec // a program
		return "", err
	}
	links := map[string]string{filepath.Join(bin, "cdphub"): cdphub}
	path := []string{bin}
	for _, dir := range projects {
		installed, err := filepath.Abs(filepath.Join(dir, "node_modules"))
		if err != nil {
			return "", err
		}
		if err := harness.InstallNode(dir); err != nil {
			return "", err
		}
		path = append(path, filepath.Join(installed, ".bin"))
		for _, name := range packages {
			if from := filepath.Join(installed, name); exists(from) {
				links[filepath.Join(modules, name)] = from
			}
		}
		// Node 22, which chrome-devtools-mcp wants.
		if newer, err := filepath.Glob(filepath.Join(installed, "node-linux-*", "bin", "node")); err == nil && len(newer) > 0 {
			links[filepath.Join(bin, "node")] = newer[0]
		}
	}
	for to, from := range links {
		if err := os.Symlink(from, to); err != nil {
			return "", err
		}
	}
	path = append(path, os.Getenv("PATH"))
	return modules, os.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator)))
})

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// clientToken is in the variable of the documentation of that name.
const clientToken = "token-of-the-clients"

// command makes a command of a reader of the documentation, which runs in dir.
func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := install(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, args...) //nolint:gosec // what the documentation says
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_RUNTIME_DIR="+dir,
		"CLIENT_TOKEN="+clientToken, "HOST_TOKEN=token-of-the-hosts")
	if strings.Contains(strings.Join(cmd.Args, " "), "--browser") {
		cmd.Env = append(cmd.Env, withoutSandbox()...)
	}
	return cmd
}

// withoutSandbox is for a hub with a browser: Chromium's sandbox does not run as root.
func withoutSandbox() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return []string{"CDPHUB_BROWSER_NO_SANDBOX=true"}
}
