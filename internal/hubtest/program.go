package hubtest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// environment is that of the test binary before tests change it. A test that
// sets HOME would else have Go build all packages anew, in a new cache.
var environment = os.Environ()

// Program returns the path of a program of this repository, of the package in folder.
// Go keeps what it runs in its cache (Go 1.24), so that one linked program serves all
// test binaries; go build would link 40 MB for each.
func Program(folder string, env ...string) (path string, err error) {
	for range 5 { // what has just been linked, here or beside, runs in a folder that goes at once
		cmd := exec.Command("go", "run", "-exec", "echo", ".")
		cmd.Dir, cmd.Env = folder, append(slices.Clip(environment), env...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("build %s: %w\n%s", folder, err, said.String())
		}
		path = strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("build %s: %s is not there", folder, path)
}
