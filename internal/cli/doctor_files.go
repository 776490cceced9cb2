package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/cdphub/cdphub/internal/tempdir"
)

// checkFiles finds out whether this user can use what the options name: an option with the
// placeholder FILE is read, one with DIR is written to, unless its tag access says
// "read".
func checkFiles(flags []*kong.Flag) (all []finding) {
	for _, f := range flags {
		kind := f.PlaceHolder
		if kind != "FILE" && kind != "DIR" || !isGiven(f) {
			continue
		}
		for _, path := range pathsOf(f) {
			use, err := "can be read", error(nil)
			if kind == "DIR" && f.Tag.Get("access") != "read" {
				use, err = "can be written to", tryWriting(path)
			} else {
				err = tryReading(path)
			}
			if err == nil {
				all = append(all, finding{Check: "file", State: fine, Found: fmt.Sprintf("--%s: %s %s", f.Name, path, use)})
				continue
			}
			all = append(all, finding{"file", failing, fmt.Sprintf("--%s: user %d: %v", f.Name, os.Getuid(), err), cureOf(err)})
		}
	}
	return all
}

// pathsOf are the paths that an option has as its value. A name without a slash may be that
// of a program on the PATH.
func pathsOf(f *kong.Flag) []string {
	switch v := f.Target.Interface().(type) {
	case []string:
		return v
	case frontEnd: // was read when it was parsed
		return nil
	default:
		path := fmt.Sprint(v)
		if f.Name == "browser-path" && !strings.ContainsAny(path, `/\`) {
			return nil
		}
		return []string{path}
	}
}

// tryReading opens a file or folder.
func tryReading(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// tryWriting makes and removes a folder where the folder is, or would be made.
func tryWriting(path string) error {
	for {
		_, err := os.Stat(path)
		if err == nil {
			break
		}
		if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
			path = parent
			continue
		}
		return err
	}
	made, err := tempdir.Make(path, tempdir.Hidden)
	if err != nil {
		return err
	}
	return made.Remove()
}

// cureOf says what to do about a file that cannot be used.
func cureOf(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "let this user use it; the packaged services may read what is in /etc/cdphub (after systemctl reload) and write to /var/lib/cdphub"
	}
	return "make it, or correct the option"
}
