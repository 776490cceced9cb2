//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// separate gives a program a session of its own: Ctrl+C in the terminal of cdphub is
// not for it.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
