//go:build !unix

package cli

import "os/exec"

// separateSession does nothing: no program opens a default browser here.
func separateSession(*exec.Cmd) {}
