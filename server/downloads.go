package server

import (
	"fmt"

	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/relay"
)

// newDownloads returns the function for relay.Options; nil, which writes no files,
// without a directory.
func newDownloads(dir string) (func() (relay.DownloadFile, error), error) {
	if dir == "" {
		return nil, nil
	}
	root, err := downloads.ResolveDir(dir)
	if err != nil {
		return nil, fmt.Errorf("download directory: %w", err)
	}
	return func() (relay.DownloadFile, error) { return root.Create() }, nil
}
