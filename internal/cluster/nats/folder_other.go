//go:build !unix

package natsdir

import "os"

// newFolder makes a folder for what no later server needs.
func newFolder() (dir string, held *os.File, err error) {
	dir, err = os.MkdirTemp("", folderName)
	return dir, nil, err
}
