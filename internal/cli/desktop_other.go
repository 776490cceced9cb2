//go:build !unix

package cli

import "os/exec"

// separate does nothing: no program opens a default browser here.
func separate(*exec.Cmd) {}
