//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// separateSession gives a program a session of its own (setsid(2)), so that Ctrl+C in the
// terminal of cdphub does not end it.
func separateSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
