package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/relay/quota"
)

// Record says where a Journal writes what it keeps.
type Record struct {
	Dir  string // is made if it is not there
	Size int64  // bytes of all recordings in it, 1 GiB; the oldest make room
	Text bool   // with the bodies of responses
	// Apps are the origins of apps by the origins at which a proxy serves them; nil: there are none.
	Apps func() map[string]string
}

// Header is the first line of a recording.
type Header struct {
	Version int    `json:"cdphub"` // of the format: 1
	Hub     string `json:"hub"`
	Target  string `json:"targetId"`
	URL     string `json:"url,omitempty"`
	Began   int64  `json:"began"` // in milliseconds since 1970
	// Payer is for whom the recording counts: the ID of a quota.Payer.
	Payer string `json:"payer,omitempty"`
	// Apps are the origins of apps by the origins at which a proxy served them.
	Apps map[string]string `json:"apps,omitempty"`
}

// formatVersion is that of a recording.
const formatVersion = 1

// Names of what is written: one file for each target, and a folder with its pictures.
const (
	Extension  = ".ndjson.zst"
	picturesIn = ".pictures"
)

// files are the recordings of a process. Only the Journal's goroutine uses them.
//
// A recording consists of zstd frames, one for each flush: when the process ends
// suddenly, the frames before are still good (RFC 8878, section 3: frames may follow
// each other).
type files struct {
	o        Record
	log      *zap.Logger
	audit    *zap.Logger // one line for each recording
	root     *os.Root
	encoder  *zstd.Encoder
	lines    map[*line]*fileLine `held:"recordings that go on"`
	sizes    map[string]*size    `stays:"recordings in the folder"` // of all recordings in the folder, by name
	pool     *quota.Pool         // bytes of all recordings
	stopped  bool                // nothing can be written
	flushed  time.Time
	saidFull time.Time // when the log last said that there is no room
}

// size is what a recording uses on disk.
type size struct {
	bytes   map[quota.Payer]int64 // by who has caused it
	changed time.Time
}

// fileLine is the recording of one target.
type fileLine struct {
	key      lineKey
	name     string
	buffer   bytes.Buffer          // lines that are to be written
	caused   map[quota.Payer]int64 // bytes of lines and pictures, by who has caused them
	pictures []picture             // the same
	offset   int64                 // up to which the file is good
}

type picture struct {
	seq  uint64
	data []byte
}

// How often and with how many bytes the lines are written.
const (
	flushEvery = time.Second
	flushBytes = 1 << 20
	mayRemove  = time.Minute // since the last entry of a recording
)

func openFiles(o Record, quotas *quota.Ledger, log *zap.Logger) (*files, error) {
	o.Size = cmp.Or(o.Size, 1<<30)
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, optionname.Errorf("{server.Timeline.Record}: the folder cannot be made: %w", err)
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, optionname.Errorf("{server.Timeline.Record}: the folder cannot be opened: %w", err)
	}
	f := &files{o: o, log: log.Named("journal"), audit: log.Named("audit"), root: root, pool: quotas.Pool(quota.Recordings, o.Size), lines: make(map[*line]*fileLine), sizes: make(map[string]*size), flushed: time.Now()}
	if err := f.tryOut(); err != nil {
		root.Close()
		return nil, optionname.Errorf("{server.Timeline.Record}: nothing can be written to the folder: %w", err)
	}
	if err := f.measure(); err != nil {
		root.Close()
		return nil, optionname.Errorf("{server.Timeline.Record}: the folder cannot be read: %w", err)
	}
	f.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	return f, err
}

// tryOut writes a file and removes it.
func (f *files) tryOut() error {
	const name = ".cdphub-try"
	_ = f.root.Remove(name) // of a process that ended in between
	if err := f.create(name, []byte("\n")); err != nil {
		return err
	}
	return f.root.Remove(name)
}

// measure adds up the recordings that are there.
func (f *files) measure() error {
	payers := make(map[string]quota.Payer)
	return fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it has just gone
		}
		if base := baseOf(name); base != "" {
			if _, known := payers[base]; !known {
				payers[base] = f.payerOf(base)
			}
			f.count(base, payers[base], info.Size(), info.ModTime())
		}
		return nil
	})
}

// baseOf is the recording that a file in the folder belongs to; "" for none.
func baseOf(name string) string {
	suffix := Extension
	if dir, _, in := strings.Cut(name, "/"); in {
		name, suffix = dir, picturesIn
	}
	base, ok := strings.CutSuffix(name, suffix)
	if !ok {
		return ""
	}
	return base
}

func (f *files) count(base string, payer quota.Payer, bytes int64, changed time.Time) {
	s := f.sizes[base]
	if s == nil {
		s = &size{bytes: make(map[quota.Payer]int64)}
		f.sizes[base] = s
	}
	s.bytes[payer] += bytes
	f.pool.Add(payer, bytes)
	if changed.After(s.changed) {
		s.changed = changed
	}
}

var unusable = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// write takes an entry of a target, which is written with the next flush.
func (f *files) write(l *line, e *Entry, data []byte) {
	if f.stopped {
		return
	}
	fl := f.lines[l]
	if fl == nil {
		now := time.Now().UTC()
		fl = &fileLine{key: l.key, name: f.nameOf(l.key, now), caused: make(map[quota.Payer]int64)}
		f.lines[l] = fl
		h := Header{Version: formatVersion, Hub: l.key.hub, Target: l.key.target, URL: l.url, Began: now.UnixMilli(), Payer: l.payer.ID}
		if f.o.Apps != nil {
			h.Apps = f.o.Apps()
		}
		fl.line(h)
	}
	before := fl.buffer.Len()
	fl.line(e)
	fl.caused[l.payer] += int64(fl.buffer.Len() - before + len(data))
	if data != nil {
		fl.pictures = append(fl.pictures, picture{e.Seq, data})
	}
	if fl.buffer.Len() > flushBytes {
		f.save(fl)
	}
}

// nameOf is a name that no other recording has. A Host chooses the ids of its targets:
// several of them may become the same name.
func (f *files) nameOf(key lineKey, now time.Time) string {
	name := fmt.Sprintf("%s-%s-%s", now.Format("20060102T150405.000"),
		cmp.Or(unusable.ReplaceAllString(key.hub, ""), "default"), shortenID(unusable.ReplaceAllString(key.target, "")))
	taken := make(map[string]bool, len(f.lines))
	for _, fl := range f.lines {
		taken[fl.name] = true
	}
	free := name
	for n := 2; taken[free] || f.sizes[free] != nil; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

func shortenID(id string) string { return id[:min(len(id), 40)] }

func (fl *fileLine) line(v any) {
	text, err := json.Marshal(v)
	if err != nil { // a number that JSON has not
		return
	}
	fl.buffer.Write(text)
	fl.buffer.WriteByte('\n')
}

// forget ends the recording of a target.
func (f *files) forget(l *line) {
	if fl := f.lines[l]; fl != nil {
		f.save(fl)
		delete(f.lines, l)
	}
}

// flush writes what waits.
func (f *files) flush(now time.Time, all bool) {
	if !all && now.Sub(f.flushed) < flushEvery {
		return
	}
	f.flushed = now
	for _, fl := range f.lines {
		f.save(fl)
	}
	if all {
		f.root.Close()
	}
}

// save writes what waits of one target.
func (f *files) save(fl *fileLine) {
	if fl.buffer.Len() == 0 || f.stopped {
		return
	}
	frame := f.encoder.EncodeAll(fl.buffer.Bytes(), nil)
	more := int64(len(frame))
	for _, p := range fl.pictures {
		more += int64(len(p.data))
	}
	caused := maps.Clone(fl.caused)
	err := f.makeRoom(more, fl.name, mostOf(caused))
	if err == nil {
		err = f.savePictures(fl)
	}
	if err == nil {
		err = f.appendFrame(fl, frame)
	}
	fl.buffer.Reset()
	clear(fl.caused)
	fl.pictures = nil
	if errors.Is(err, errFull) { // it passes, and must not end the recordings of others
		f.detach(fl)
		if now := time.Now(); now.Sub(f.saidFull) >= mayRemove {
			f.saidFull = now
			f.log.Error(optionname.Text("entries are missing in the recordings: set a greater {server.Timeline.RecordSize}; everything else continues"), zap.String("file", fl.name+Extension), zap.Error(err))
		}
		return
	}
	if err != nil {
		f.stopped = true
		f.log.Error(optionname.Text("recording has stopped: make room in the folder of {server.Timeline.Record}, then start the hub again; everything else continues"), zap.Error(err))
		return
	}
	if fl.offset == int64(len(frame)) {
		f.audit.Info("recording begins", zap.String("hub", fl.key.hub), zap.String("target", fl.key.target), zap.String("file", fl.name+Extension))
	}
	f.countShares(fl.name, caused, more)
}

// detach has what comes of a target go into another recording.
func (f *files) detach(fl *fileLine) {
	maps.DeleteFunc(f.lines, func(_ *line, other *fileLine) bool { return other == fl })
}

func (f *files) savePictures(fl *fileLine) error {
	if len(fl.pictures) == 0 {
		return nil
	}
	dir := fl.name + picturesIn
	if err := f.root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, p := range fl.pictures {
		name := path.Join(dir, pictureName(p.seq))
		if err := f.create(name+".part", p.data); err != nil {
			return err
		}
		if err := f.root.Rename(name+".part", name); err != nil {
			return err
		}
	}
	return nil
}

func pictureName(seq uint64) string { return fmt.Sprintf("%08d.jpg", seq) }

// create writes a new file that only this user can read.
func (f *files) create(name string, data []byte) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = cmp.Or(err, file.Close()); err != nil {
		_ = f.root.Remove(name) // what is not whole is of no use
	}
	return err
}

// appendFrame adds a frame to a recording. A frame that was written in part is taken
// away again.
func (f *files) appendFrame(fl *fileLine, frame []byte) error {
	flags := os.O_WRONLY | os.O_APPEND
	if fl.offset == 0 {
		flags |= os.O_CREATE | os.O_EXCL
	}
	file, err := f.root.OpenFile(fl.name+Extension, flags, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.Write(frame); err != nil {
		_ = file.Truncate(fl.offset) // the reader copes with what stays
	}
	if err = cmp.Or(err, file.Close()); err == nil {
		fl.offset += int64(len(frame))
	}
	return err
}
