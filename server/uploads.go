package server

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cdphub/cdphub/internal/downloads"
)

// maxUpload is how many bytes the files of one command may have together. They go to
// the Host as base64 in one message, which is a third longer.
const maxUpload = 32 << 20

// uploads reads files for DOM.setFileInputFiles, only below one directory.
type uploads struct{ root downloads.Dir }

// newUploads returns the function for relay.Options; nil, which refuses
// uploads, without a directory.
func newUploads(dir string) (func(params []byte, take func(bytes int64) error) ([]byte, error), error) {
	if dir == "" {
		return nil, nil
	}
	root, err := downloads.ResolveDir(dir)
	if err != nil {
		return nil, fmt.Errorf("upload directory: %w", err)
	}
	return uploads{root}.fill, nil
}

// uploadFile is one file as Frame Agents take it.
type uploadFile struct {
	Name         string `json:"name"`
	MimeType     string `json:"mimeType"`
	LastModified int64  `json:"lastModified"` // milliseconds since 1970
	Base64       string `json:"base64"`

	size int64 // of the contents; the length of Base64 is rounded up
}

// fill adds to the params of DOM.setFileInputFiles, for each path in "files", the
// contents of the file, since a Frame Agent cannot read paths. It keeps no part of
// params, and leaves all other members as they are:
//
//	"contents":[{"name":"a.txt","mimeType":"text/plain","lastModified":0,"base64":"…"}]
func (u uploads) fill(params []byte, take func(bytes int64) error) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if params != nil {
		if err := json.Unmarshal(params, &all); err != nil {
			return nil, fmt.Errorf("the params are not an object: %w", err)
		}
	}
	var paths []string
	if err := json.Unmarshal(all["files"], &paths); err != nil || paths == nil {
		return nil, errors.New(`"files" must be a list of paths`)
	}
	contents := []uploadFile{} // an empty list clears the input
	left := int64(maxUpload)
	for _, path := range paths {
		f, err := u.read(path, left, take)
		if err != nil {
			return nil, err
		}
		left -= f.size
		contents = append(contents, f)
	}
	var err error
	if all["contents"], err = json.Marshal(contents); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// read reads one regular file of at most limit bytes, for which it calls take before. A path outside of the root is
// refused in the same words whether the file exists or not, so that a Client learns
// nothing of the disk.
func (u uploads) read(path string, limit int64, take func(bytes int64) error) (uploadFile, error) {
	outside := fmt.Errorf("file upload refused: %s is not a file below the hub's upload directory", path)
	below, err := u.root.Locate(path)
	if err != nil {
		return uploadFile{}, outside
	}
	root, err := os.OpenRoot(string(u.root)) // what is opened cannot lead outside, even if links change meanwhile
	if err != nil {
		return uploadFile{}, outside
	}
	defer root.Close()
	info, err := root.Stat(below)
	if err != nil || info.Mode().Type() != fs.FileMode(0) { // opening a pipe would wait for ever
		return uploadFile{}, outside
	}
	// O_NONBLOCK: without it, opening a FIFO that nobody writes to would wait
	// (fifo(7)).
	f, err := root.OpenFile(below, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return uploadFile{}, outside
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() { // it is another now
		return uploadFile{}, outside
	}
	if err := take(min(info.Size(), limit)); err != nil {
		return uploadFile{}, fmt.Errorf("file upload refused: %w", err)
	}
	// One byte more than allowed shows that the file is too long, whatever its size
	// was a moment ago.
	body, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return uploadFile{}, fmt.Errorf("file upload: %s cannot be read", path)
	}
	if int64(len(body)) > limit {
		return uploadFile{}, fmt.Errorf("file upload refused: the files of one command may have %d MiB together", maxUpload>>20)
	}
	kind, _, err := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(path)))
	if err != nil {
		kind = ""
	}
	return uploadFile{
		Name:         filepath.Base(path),
		MimeType:     kind,
		LastModified: info.ModTime().UnixMilli(),
		Base64:       base64.StdEncoding.EncodeToString(body),
		size:         int64(len(body)),
	}, nil
}
