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

// newProfile makes a fresh folder, unless the user has one.
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
