package chrome

import (
	"os"
	"path/filepath"
	"time"
)

// profile is the folder of a browser's user data.
type profile struct {
	dir  string // absolute
	kept bool   // it is the user's
}

// newProfile makes a fresh folder, unless the user has one. Its name ends in random digits,
// and only this user can read it (os.MkdirTemp: mode 0700).
func newProfile(dir string) (p profile, err error) {
	p.kept = dir != ""
	if !p.kept {
		if dir, err = os.MkdirTemp("", "cdphub-browser-"); err != nil {
			return p, err
		}
	}
	p.dir, err = filepath.Abs(dir)
	return p, err
}

// temporary is the folder that must be removed, or "".
func (p profile) temporary() string {
	if p.kept {
		return ""
	}
	return p.dir
}

// longestTemporary is how long the path of a folder may be, in bytes, for
// Chromium to have its socket in it: DIR/org.chromium.Chromium.XXXXXX/SingletonSocket
// of 107 at most.
const longestTemporary = 62

// variables are what the environment of the browser must have. What Chromium has
// in the folder for temporary files stays behind when it is killed, so that is
// one that will be removed. A path that would be too long for Chromium's socket leaves the
// system's folder.
func (p profile) variables() []string {
	if p.kept || len(p.dir) > longestTemporary {
		return nil
	}
	return []string{"TMPDIR=" + p.dir}
}

// remove removes a folder that is not kept. It tries for a second: the last
// processes of a browser that was killed may still be writing.
func (p profile) remove() (err error) {
	if p.kept {
		return nil
	}
	for range 20 {
		if err = os.RemoveAll(p.dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
