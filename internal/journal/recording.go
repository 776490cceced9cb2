package journal

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Recording is a file that a Journal has written.
type Recording struct {
	Header
	Entries []Entry // in the order in which they were kept
	// Cut says why the end is missing; "" when it is not. The process that wrote the
	// file may have ended suddenly, or may still write it.
	Cut string

	pictures string // the folder
}

// Limits of what is read of a recording. The file may come from anywhere, and a small zstd
// file can hold very much.
const (
	mostFile     = 256 << 20 // bytes of lines
	longestLine  = 4 << 20
	mostRecorded = 100_000 // entries
	mostWindow   = 8 << 20 // bytes that one frame may refer back to
)

// Open reads a recording. Its pictures are read later, by Picture, from the folder
// beside the file.
func Open(name string) (*Recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.pictures = strings.TrimSuffix(name, Extension) + picturesIn
	return r, nil
}

// Read reads a recording without its pictures. A file that ends in the middle is no
// error: see Recording.Cut.
func Read(in io.Reader) (*Recording, error) {
	r := new(Recording)
	err := readLines(in, func(lines *bufio.Scanner, limited *io.LimitedReader) (err error) {
		if r.Header, err = scanHeader(lines); err != nil {
			return err
		}
		r.readEntries(lines)
		if limited.N <= 0 {
			r.Cut = fmt.Sprintf("it has more than %d MiB of entries: the rest is left out", mostFile>>20)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// readHeader reads the first line of a recording alone.
func readHeader(in io.Reader) (h Header, err error) {
	err = readLines(in, func(lines *bufio.Scanner, _ *io.LimitedReader) (err error) {
		h, err = scanHeader(lines)
		return err
	})
	return h, err
}

// readLines calls read with the lines of a recording.
func readLines(in io.Reader, read func(*bufio.Scanner, *io.LimitedReader) error) error {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(mostWindow), zstd.WithDecoderMaxMemory(mostFile))
	if err != nil {
		return fmt.Errorf("this is not a recording of cdphub: %w", err)
	}
	defer z.Close()
	limited := &io.LimitedReader{R: z, N: mostFile}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	return read(lines, limited)
}

// scanHeader reads the first of some lines.
func scanHeader(lines *bufio.Scanner) (h Header, err error) {
	if !lines.Scan() {
		return h, fmt.Errorf("this is not a recording of cdphub: %w", cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
	}
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.Version == 0 {
		return h, errors.New("this is not a recording of cdphub: its first line is not that of a recording")
	}
	if h.Version > formatVersion {
		return h, fmt.Errorf("a newer version of cdphub has made this recording (format %d): use that version", h.Version)
	}
	return h, nil
}

// readEntries reads all lines up to the first that is wrong, which Cut then names.
func (r *Recording) readEntries(lines *bufio.Scanner) {
	for lines.Scan() {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			r.Cut = fmt.Sprintf("entry %d cannot be read: %v", len(r.Entries)+1, err)
			return
		}
		if len(r.Entries) > 0 && e.Seq <= r.Entries[len(r.Entries)-1].Seq {
			r.Cut = fmt.Sprintf("entry %d is not newer than the one before", len(r.Entries)+1)
			return
		}
		if r.Entries = append(r.Entries, e); len(r.Entries) >= mostRecorded {
			r.Cut = fmt.Sprintf("it has more than %d entries: the rest is left out", mostRecorded)
			return
		}
	}
	if err := lines.Err(); err != nil {
		r.Cut = err.Error()
	}
}

// IsErrorPage reports whether an address is that of the browser's error page, which also stands for a page that
// the hub cannot see.
func IsErrorPage(address string) bool { return strings.HasPrefix(address, "chrome-error:") }

// Address is the first address of the page; "" when the recording does not have it.
func (r *Recording) Address() string {
	for _, e := range r.Entries {
		if r.URL == "" && e.Kind == Navigation && !IsErrorPage(e.Text) {
			return e.Text
		}
	}
	return r.URL
}

// Title is the first title of the page; "" when the recording does not have it.
func (r *Recording) Title() string {
	for _, e := range r.Entries {
		if e.Kind == Reads && e.Action == nil && e.Text != "" {
			return e.Text
		}
	}
	return ""
}

// PictureFile is the name of the file with the picture of an entry.
func (r *Recording) PictureFile(seq uint64) string {
	return filepath.Join(r.pictures, pictureName(seq))
}

// Picture is the picture of an entry, a JPEG of at most longestPicture bytes. The
// bytes are the caller's.
func (r *Recording) Picture(seq uint64) ([]byte, error) {
	file, err := os.Open(r.PictureFile(seq))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, longestPicture+1))
	if err == nil && len(data) > longestPicture {
		err = errors.New("the picture is too large")
	}
	return data, err
}
