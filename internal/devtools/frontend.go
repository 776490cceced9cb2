// Package devtools serves the front end of Chrome DevTools to the browser of a
// person, and keeps the tickets by which it connects to a target.
//
//	front, err := devtools.Open("") // the front end in the program
//	http.Handle("/devtools/ui/", http.StripPrefix("/devtools/ui/", front))
//
// The front end is the npm package @react-native/debugger-frontend, a prebuilt copy
// of Chrome DevTools. `make devtools` packs it into dist/frontend.zip.
package devtools

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
)

// dist has frontend.zip, if it was there when the program was built.
//
//go:embed dist
var dist embed.FS

// Page is the page of the front end, below the path that a FrontEnd is served at.
const Page = "inspector.html"

// FrontEnd serves the files of a front end. A nil one answers 501 with the way to get
// one.
type FrontEnd struct {
	files   map[string]*zip.File
	version string // of the files, the folder of their addresses
}

// Open reads the zip that `make devtools` has packed: a file, or with "" the one in
// the program. Without one in the program, the front end and the error are nil. The
// file stays open as long as the process lives.
func Open(file string) (*FrontEnd, error) {
	raw, size, err := openZip(file)
	if file == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(raw, size)
	if err != nil {
		return nil, fmt.Errorf("%s is not a zip file: %w", file, err)
	}
	// The version is part of the addresses of all files, so that a new front end has
	// new addresses.
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(raw, 0, size)); err != nil {
		return nil, err
	}
	f := &FrontEnd{map[string]*zip.File{}, hex.EncodeToString(hash.Sum(nil)[:6])}
	for _, one := range archive.File {
		f.files[one.Name] = one
	}
	if f.files[Page] == nil {
		return nil, fmt.Errorf("%s has no %s: use the file internal/devtools/dist/frontend.zip that `make devtools` writes", file, Page)
	}
	return f, nil
}

// openZip opens a file, or the one in the program, for as long as the process lives.
func openZip(file string) (io.ReaderAt, int64, error) {
	var opened fs.File
	var err error
	if file == "" {
		opened, err = dist.Open("dist/frontend.zip")
	} else {
		opened, err = os.Open(file)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := opened.Stat()
	if err != nil {
		return nil, 0, err
	}
	return opened.(io.ReaderAt), info.Size(), nil // of an embed.FS, too
}

// missing is what a program without a front end says.
const missing = "This build of cdphub has no DevTools front end. Use a release of cdphub or its npm package, which have it. " +
	"Or run `make devtools` in a clone, and build cdphub again or give it --devtools=internal/devtools/dist/frontend.zip."

// policy is the Content Security Policy of the front end. It runs its own scripts
// and connects to its own origin alone; its elements have style attributes, and what
// it shows of the inspected page are images and fonts as data: and blob: addresses. Source maps
// are data: addresses where a bundler has put them into the script, as Vite does; DevTools asks the
// inspected page for all others.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; font-src 'self' data:; media-src data: blob:; connect-src 'self' data: blob:; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler: for the page it redirects to the address with
// the version, below which browsers may keep all files for ever.
func (f *FrontEnd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if f == nil {
		http.Error(w, missing, http.StatusNotImplemented)
		return
	}
	if r.URL.Path == Page {
		to := f.version + "/" + Page
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		// http.Redirect would make the address absolute, and lose the prefix that
		// StripPrefix has taken.
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, f.version+"/")
	file := f.files[name]
	if !ok || file == nil {
		http.Error(w, "Not found", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", typeOf(name))
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer") // the address of the page has a ticket
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	// Caches must not give the gzip form to a browser that has not asked for it (RFC
	// 9110, section 12.5.5).
	h.Set("Vary", "Accept-Encoding")
	serveFile(w, r, file)
}

// typeOf is the media type of a file. The table of the operating system differs
// between machines, and a script with a wrong type does not run under nosniff.
func typeOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".avif":
		return "image/avif"
	case ".wasm":
		return "application/wasm"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
		return "text/plain; charset=utf-8"
	}
}

// serveFile answers with a file of the zip. Both zip and gzip hold a raw deflate stream
// (RFC 1951), so the compressed bytes go out as they are, with the head and the tail
// of gzip (RFC 1952), to browsers that take gzip.
func serveFile(w http.ResponseWriter, r *http.Request, file *zip.File) {
	if file.Method == zip.Deflate && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if raw, err := file.OpenRaw(); err == nil {
			w.Header().Set("Content-Encoding", "gzip")
			writeGzip(w, r, file, raw)
			return
		}
	}
	body, err := file.Open()
	if err != nil {
		http.Error(w, "The front end cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	defer body.Close()
	w.Header().Set("Content-Length", fmt.Sprint(file.UncompressedSize64))
	if r.Method == http.MethodGet {
		io.Copy(w, body) //nolint:errcheck // a peer that is gone
	}
}

func writeGzip(w http.ResponseWriter, r *http.Request, file *zip.File, deflated io.Reader) {
	// Magic number, method 8 (deflate), no flags, no time, no extra flags, unknown
	// system (RFC 1952, section 2.3).
	head := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}
	crc, size := file.CRC32, uint32(file.UncompressedSize64) //nolint:gosec // RFC 1952: the size modulo 2^32
	tail := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, crc), size)
	w.Header().Set("Content-Length", fmt.Sprint(uint64(len(head)+len(tail))+file.CompressedSize64))
	if r.Method == http.MethodGet {
		io.Copy(w, io.MultiReader(bytes.NewReader(head), deflated, bytes.NewReader(tail))) //nolint:errcheck // a peer that is gone
	}
}
