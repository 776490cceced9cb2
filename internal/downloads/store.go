package downloads

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/tempdir"
	"github.com/cdphub/cdphub/relay/quota"
)

// Owner identifies the Client that has asked for a download.
type Owner struct {
	Hub     string
	Account string // the same for all Clients with the same token; "" without tokens
	Tabs    string // relay.OwnTabs.Owner of a Client that sees only its own tabs; "" for one that sees all
}

// finds reports whether o finds the downloads of another Owner: those of the same token at the same hub
// and, if o sees only its own tabs, of these tabs.
func (o Owner) finds(of Owner) bool {
	return o.Hub == of.Hub && o.Account == of.Account && (o.Tabs == "" || o.Tabs == of.Tabs)
}

// Item is a file to keep.
type Item struct {
	Owner  Owner
	Payer  quota.Payer // whose bytes of quota.Downloads it uses
	GUID   string      // of the download, as CDP has it
	Target string      // the Target that has downloaded it
	URL    string
	Name   string // suggested by a server or a page
	Path   string // of the file, on this machine
	Copy   string // of a second file, for a Client that may not name files: the Store removes it with the kept one
	Size   int64  // known if SHA256 is
	SHA256 string // "": Keep reads the file
}

// Kept is a file that a Store keeps.
type Kept struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name"`           // a file name
	Type     string `json:"type,omitempty"` // by the extension of the name
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256,omitempty"`
	URL      string `json:"url"`
	GUID     string `json:"guid"`
	TargetID string `json:"targetId,omitempty"`
	Time     int64  `json:"time,omitempty"` // in milliseconds since 1970, as the next
	Expires  int64  `json:"expires,omitempty"`
	Address  string `json:"address,omitempty"` // URL of the file; "" while the Store has it: a Box and package relay set it
}

// maxURL is how much of the address of a download is kept, in bytes: a data: URL is as long as its file.
const maxURL = 2048

// CutURL is the address of a download, or its beginning. It is no part of the text that it is given.
func CutURL(url string) string {
	return strings.ToValidUTF8(strings.Clone(url[:min(len(url), maxURL)]), "")
}

// StoreOptions bound a Store. Zero fields take the default.
type StoreOptions struct {
	Age    time.Duration // for which a file is kept, 1 h
	Size   int64         // bytes of all files, 1 GiB
	Count  int           // files of one token at one hub, 100
	Quotas *quota.Ledger // whose resource Downloads the bytes are; nil: one of its own
	Log    *zap.Logger   // nothing when nil
}

// Store keeps the files of downloads for the Clients that have asked for them, also after the Clients
// have disconnected. It drops files that are older than Age, the oldest files of a token that has more
// than Count, and, while all files together have more than Size bytes, the oldest of the token that has
// most bytes. The files are in a folder that only this user can read. The first file makes the folder,
// and Close removes it.
type Store struct {
	o      StoreOptions // static after NewStore
	pool   *quota.Pool
	coming room

	mu     sync.Mutex   // guards everything below
	dir    *tempdir.Dir // nil until the first file
	kept   []*kept      `held:"downloads"` // the oldest first
	timer  *time.Timer
	closed bool
}

// kept is one file.
type kept struct {
	Kept
	owner Owner
	payer quota.Payer
	path  string
	copy  string
}

// NewStore makes a Store.
func NewStore(o StoreOptions) *Store {
	o.Age, o.Size, o.Count = cmp.Or(o.Age, time.Hour), cmp.Or(o.Size, quota.Table[quota.Downloads].Total), cmp.Or(o.Count, 100)
	if o.Quotas == nil {
		o.Quotas = quota.New(quota.Options{})
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return &Store{o: o, pool: o.Quotas.Pool(quota.Downloads, o.Size), coming: room{most: o.Size}}
}

// Size is how many bytes all files may have, and so each.
func (s *Store) Size() int64 { return s.o.Size }

var (
	errStoreClosed = errors.New("the hub is shutting down")
	// ErrNotKept says that a Box has no file with an id.
	ErrNotKept = errors.New("no download has this id: it was deleted, it is too old, or it belongs to somebody else")
)

// folder is the folder of the files, made when it is first wanted.
func (s *Store) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errStoreClosed
	}
	if s.dir == nil {
		dir, err := tempdir.Make(os.TempDir(), tempdir.Kept)
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	return s.dir.Path, nil
}

// Create makes the file of a download that comes in parts, in a directory in which Clients may name
// folders, or in the folder of the Store if it is "". The files that come may have Size bytes together.
func (s *Store) Create(dir Dir) (*File, error) {
	folder, err := s.folder()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return Dir(folder).create(false, &s.coming)
	}
	return dir.create(true, &s.coming)
}

// Keep keeps a file, which may be removed afterwards. A download that its owner has already is
// kept once. The error is for the Client to read; a Copy is the caller's then.
func (s *Store) Keep(i Item) (k Kept, err error) {
	if old, found := s.find(func(k *kept) bool { return k.owner == i.Owner && k.GUID == i.GUID }); found && i.Copy == "" {
		return old.Kept, nil
	}
	k = Kept{ID: rand.Text(), GUID: i.GUID, TargetID: i.Target, URL: CutURL(i.URL), Name: i.Name}
	if !bridge.IsFileName(k.Name) {
		k.Name = cmp.Or(i.GUID, k.ID)
	}
	now := time.Now()
	k.Time, k.Expires = now.UnixMilli(), now.Add(s.o.Age).UnixMilli()
	k.Type = cmp.Or(mime.TypeByExtension(filepath.Ext(k.Name)), "application/octet-stream")
	k.Size, k.SHA256 = i.Size, i.SHA256
	path, err := s.take(i.Path, &k)
	if err == nil {
		err = s.add(&kept{k, i.Owner, i.Payer, path, i.Copy})
	}
	if err != nil {
		s.removeFiles(&kept{path: path})
	}
	return k, err
}

// take links or copies a file into the folder, and measures it.
func (s *Store) take(from string, k *Kept) (path string, err error) {
	folder, err := s.folder()
	if err != nil {
		return "", err
	}
	if path, err = SaveAs(from, filepath.Join(folder, k.ID)); err == nil && k.SHA256 == "" {
		k.Size, k.SHA256, err = s.measure(path)
	}
	if err == nil && k.Size > s.o.Size {
		err = tooLarge(s.o.Size)
	}
	if _, is := errors.AsType[tooLarge](err); err != nil && !is && !errors.Is(err, errStoreClosed) {
		s.o.Log.Warn("a download is lost: its file cannot be kept", zap.Error(err))
		err = errors.New("the hub cannot keep the file (its log says why)") // a path of this machine is not for the Client
	}
	return path, err
}

// tooLarge is the error for a file that is larger than all files may be.
type tooLarge int64

// Error implements error.
func (t tooLarge) Error() string {
	return fmt.Sprintf("the file has more than %d bytes, the most that the hub keeps", int64(t))
}

// TooLarge is the reason for a file that is not kept, for it has more bytes than that.
func TooLarge(most int64) string { return tooLarge(most).Error() }

func (s *Store) measure(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	hash := sha256.New()
	size, err = io.Copy(hash, io.LimitReader(f, s.o.Size+1))
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

// add counts a file, and drops what is too much.
func (s *Store) add(k *kept) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errStoreClosed
	}
	s.kept = append(s.kept, k)
	s.pool.Add(k.payer, k.Size)
	dropped := s.overCountLocked(k.owner)
	for s.pool.Excess() > 0 {
		most := s.pool.Most()
		more := s.dropLocked(func(k *kept) bool { return k.payer.ID == most }, 1)
		if more == nil { // what others count there
			break
		}
		dropped = append(dropped, more...)
	}
	s.expireLaterLocked()
	s.mu.Unlock()
	s.removeFiles(dropped...)
	return nil
}

// overCountLocked drops the oldest files of an owner that has too many.
func (s *Store) overCountLocked(o Owner) []*kept {
	o.Tabs = ""
	own, n := func(k *kept) bool { return o.finds(k.owner) }, 0
	for _, k := range s.kept {
		if own(k) {
			n++
		}
	}
	return s.dropLocked(own, n-s.o.Count)
}

// dropLocked takes the oldest files that fit out of the list, at most so many. Their bytes are
// given back at once, and the files are removed without the lock.
func (s *Store) dropLocked(fits func(*kept) bool, most int) (dropped []*kept) {
	s.kept = slices.DeleteFunc(s.kept, func(k *kept) bool {
		if len(dropped) >= most || !fits(k) {
			return false
		}
		dropped = append(dropped, k)
		s.pool.Add(k.payer, -k.Size)
		return true
	})
	return dropped
}

// drop is dropLocked of all that fit, with their files. It reports how many there were.
func (s *Store) drop(fits func(*kept) bool) int {
	s.mu.Lock()
	dropped := s.dropLocked(fits, len(s.kept))
	s.mu.Unlock()
	s.removeFiles(dropped...)
	return len(dropped)
}

// removeFiles removes what is no longer kept.
func (s *Store) removeFiles(list ...*kept) {
	for _, k := range list {
		for _, path := range []string{k.path, k.copy} {
			if path == "" {
				continue
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // the Client may have moved a copy
				s.o.Log.Warn("a download is left behind", zap.Error(err))
			}
		}
	}
}

// expireLaterLocked has the oldest file dropped in time.
func (s *Store) expireLaterLocked() {
	if s.timer != nil {
		s.timer.Stop()
	}
	if len(s.kept) > 0 {
		s.timer = time.AfterFunc(time.Until(time.UnixMilli(s.kept[0].Expires)), s.expire)
	}
}

// expire drops what is too old.
func (s *Store) expire() {
	now := time.Now().UnixMilli()
	s.drop(func(k *kept) bool { return k.Expires <= now })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLaterLocked()
}

// find finds the first file that fits.
func (s *Store) find(fits func(*kept) bool) (kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.kept, fits); i >= 0 {
		return *s.kept[i], true
	}
	return kept{}, false
}

// Box has the files of a Store that one Owner finds.
type Box struct {
	store   *Store
	by      Owner
	address string
}

// Box returns the files that an Owner finds. Kept.Address is address and the id of the file; with "" the
// files have no address.
func (s *Store) Box(by Owner, address string) Box { return Box{s, by, address} }

// List lists the files, the newest last.
func (b Box) List(context.Context) ([]Kept, error) {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	list := []Kept{}
	for _, k := range b.store.kept {
		if b.by.finds(k.owner) {
			list = append(list, b.located(k.Kept))
		}
	}
	return list, nil
}

func (b Box) located(k Kept) Kept {
	if b.address != "" {
		k.Address = b.address + k.ID
	}
	return k
}

// Open is OpenFile, as package actions has it.
func (b Box) Open(_ context.Context, id string) (io.ReadCloser, Kept, error) {
	f, k, err := b.OpenFile(id)
	if err != nil {
		return nil, k, err // a nil *os.File would be no nil io.ReadCloser
	}
	return f, k, nil
}

// OpenFile opens a file. It stays whole until it is closed, also when it is dropped meanwhile. The error
// is ErrNotKept.
func (b Box) OpenFile(id string) (*os.File, Kept, error) {
	k, found := b.store.find(func(k *kept) bool { return k.ID == id && b.by.finds(k.owner) })
	if !found {
		return nil, Kept{}, ErrNotKept
	}
	f, err := os.Open(k.path)
	if err != nil {
		return nil, Kept{}, ErrNotKept // it was dropped just now
	}
	return f, b.located(k.Kept), nil
}

// Delete drops a file, and reports whether there was one.
func (b Box) Delete(id string) bool {
	return b.store.drop(func(k *kept) bool { return k.ID == id && b.by.finds(k.owner) }) > 0
}

// DropHub drops the files of a hub that has ended for good.
func (s *Store) DropHub(hub string) { s.drop(func(k *kept) bool { return k.owner.Hub == hub }) }

// Close drops everything, and keeps nothing more.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	dir := s.dir
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.drop(func(*kept) bool { return true })
	if err := dir.Remove(); err != nil {
		s.o.Log.Warn("the folder of downloads is left behind", zap.Error(err))
	}
}
