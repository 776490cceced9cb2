//go:build !unix

package chrome

import (
	"os"
	"os/exec"

	"github.com/cdphub/cdphub/internal/optionname"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// passFiles passes no files: they would have no such descriptors.
func passFiles(_ *exec.Cmd, files []*os.File, _ *os.File) error {
	if len(files) > 0 {
		return optionname.Errorf("on this system cdphub cannot start a browser: start one with --remote-debugging-port=9222, and set {chrome.Options.URL}=http://127.0.0.1:9222")
	}
	return nil
}

// killGroup kills the process; Chromium's others end when it has gone.
func killGroup(cmd *exec.Cmd) {
	cmd.Process.Kill() //nolint:errcheck // it may have ended
}

// reaper is of unix.
type reaper struct{}

// newReaper has nothing to start.
func newReaper(profile) (*reaper, error) { return nil, nil }

// watch does nothing.
func (*reaper) watch(int) {}

// dismiss does nothing.
func (*reaper) dismiss() {}
