package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/cdphub/cdphub/internal/tempdir"
)

// profile is the folder of a browser's user data.
type profile struct {
	dir       string       // absolute
	kept      bool         // it is the user's
	temporary *tempdir.Dir // goes with the browser: dir if that is not kept, and what else is temporary
}

// newProfile makes a fresh folder, unless the user has one.
func newProfile(dir string) (p profile, err error) {
	if p.temporary, err = tempdir.Make(os.TempDir(), tempdir.Browser); err != nil {
		return p, err
	}
	if p.kept = dir != ""; !p.kept {
		dir = p.temporary.Path
	}
	if p.dir, err = filepath.Abs(dir); err != nil {
		err = errors.Join(err, p.remove())
	}
	return p, err
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
	if len(p.temporary.Path) > longestTemporary {
		return nil
	}
	return []string{"TMPDIR=" + p.temporary.Path}
}

// remove removes what is not kept. It tries for a second: the last
// processes of a browser that was killed may still be writing.
func (p profile) remove() (err error) {
	for range 20 {
		if err = p.temporary.Remove(); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
