package browsertest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
)

// HeadlessShell returns the path of Chromium's headless shell (Debian's package
// chromium-headless-shell), or of the Chromium on the PATH where there is no
// shell. The variable CHROMIUM names another browser.
//
// Pages are the same in both: the shell has Chromium's engine without its windows,
// and takes a third of the processor time to start. Tests of what the shell lacks
// use Chromium itself: tabs that are hidden, extensions, DevTools.
func HeadlessShell() (string, error) {
	shell := cmp.Or(os.Getenv("CHROMIUM"), "chromium-headless-shell")
	if path, err := exec.LookPath(shell); err == nil {
		return path, nil
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		return "", fmt.Errorf("a test needs %s or chromium on the PATH: %w", shell, err)
	}
	return path, nil
}
