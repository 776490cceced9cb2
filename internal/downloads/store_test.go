package downloads

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/relay/quota"
)

// shelf is a Store with what a test has put there.
type shelf struct {
	*testing.T
	*Store
	from string
	n    int
}

func newShelf(t *testing.T, o StoreOptions) *shelf {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	s := &shelf{T: t, Store: NewStore(o), from: filepath.Join(t.TempDir(), "from")}
	t.Cleanup(func() {
		s.Close()
		if left := s.files(); len(left) > 0 {
			t.Errorf("after Close, there are %v", left)
		}
		for what, n := range held.Of(s.Store) {
			if n != 0 {
				t.Errorf("after Close, %d %s are held", n, what)
			}
		}
		if used := s.pool.Excess() + s.o.Size; used != 0 {
			t.Errorf("after Close, %d bytes are counted", used)
		}
	})
	return s
}

// files are all files of the Store.
func (s *shelf) files() []string {
	list, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "cdphub-kept-*", "*"))
	return list
}

var ann = Owner{Hub: "h", Account: "ann"}

// put keeps a file of so many bytes for somebody.
func (s *shelf) put(of Owner, name string, bytes int) (Kept, error) {
	s.Helper()
	if err := os.WriteFile(s.from, []byte(strings.Repeat("x", bytes)), 0o600); err != nil {
		s.Fatal(err)
	}
	s.n++
	k, err := s.Keep(Item{Owner: of, Payer: quota.Payer{ID: of.Account, Name: of.Account}, GUID: fmt.Sprint("G", s.n), Name: name, Path: s.from, URL: "http://app/x"})
	if err := os.Remove(s.from); err != nil {
		s.Fatal(err)
	}
	return k, err
}

// names are those of what somebody finds.
func (s *shelf) names(by Owner) string {
	list, err := s.Box(by, "").List(s.Context())
	if err != nil {
		s.Error(err)
	}
	var names []string
	for _, k := range list {
		names = append(names, k.Name)
	}
	return strings.Join(names, " ")
}

// TestR330KeptFilesAreWhole reads files again: with their size, hash, type and name, whatever a server or a
// page has called them.
func TestR330KeptFilesAreWhole(t *testing.T) {
	s := newShelf(t, StoreOptions{})
	for _, tt := range []struct {
		name, want, kind string
		bytes            int
	}{
		{"invoice.csv", "invoice.csv", "text/csv; charset=utf-8", 1000},
		{"invoice.csv", "invoice.csv", "text/csv; charset=utf-8", 3}, // another of the same name
		{"", "G3", "application/octet-stream", 0},
		{"../../etc/passwd", "G4", "application/octet-stream", 1},
		{`..\evil`, "G5", "application/octet-stream", 1},
		{"..", "G6", "application/octet-stream", 1},
		{"a\x00b", "G7", "application/octet-stream", 1},
		{"a\r\nb", "G8", "application/octet-stream", 1},
		{strings.Repeat("x", 5000), "G9", "application/octet-stream", 1},
		{"Übersicht 1.html", "Übersicht 1.html", "text/html; charset=utf-8", 1},
		{"CON", "CON", "application/octet-stream", 1}, // a device elsewhere: files are called by their ids
	} {
		k, err := s.put(ann, tt.name, tt.bytes)
		sum := sha256.Sum256([]byte(strings.Repeat("x", tt.bytes)))
		if err != nil || k.Name != tt.want || k.Type != tt.kind || k.Size != int64(tt.bytes) || k.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%.20q is kept as %+v, %v", tt.name, k, err)
		}
		f, again, err := s.Box(ann, "http://h/").Open(t.Context(), k.ID)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil || len(text) != tt.bytes || again.Address != "http://h/"+k.ID {
			t.Errorf("%.20q has %d bytes at %s, %v", tt.name, len(text), again.Address, err)
		}
		f.Close()
	}
	for _, path := range s.files() {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 || strings.Trim(filepath.Base(path), "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if k, err := s.put(ann, "x", 1); err != nil || k.URL != "http://app/x" {
		t.Errorf("%+v, %v", k, err)
	}
	same, _ := s.Keep(Item{Owner: ann, GUID: "G1"})
	if same.Name != "invoice.csv" {
		t.Errorf("a download that is kept already is kept as %+v", same)
	}
	if _, err := s.Keep(Item{Owner: ann, GUID: "none", Path: s.from}); err == nil || strings.Contains(err.Error(), "/") {
		t.Errorf("a file that is not there: %v", err)
	}
	if n := len(CutURL("data:" + strings.Repeat("ü", 5000))); n > maxURL || n < maxURL-2 {
		t.Errorf("an address is cut to %d bytes", n)
	}
}

// TestR330KeptFilesAreLimited goes over each limit: of age, of files of one token, of bytes of all.
func TestR330KeptFilesAreLimited(t *testing.T) {
	other := Owner{Hub: "h", Account: "other"}
	t.Run("age", func(t *testing.T) {
		s := newShelf(t, StoreOptions{Age: time.Minute})
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{T: t, Store: NewStore(StoreOptions{Age: time.Minute}), from: s.from}
			defer s.Close()
			s.put(ann, "a", 1)
			time.Sleep(40 * time.Second)
			s.put(ann, "b", 1)
			time.Sleep(19 * time.Second)
			if got := s.names(ann); got != "a b" {
				t.Errorf("after 59 s, there are %s", got)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if got := s.names(ann); got != "b" || len(s.files()) != 1 {
				t.Errorf("after 60 s, there are %s, %v", got, s.files())
			}
			time.Sleep(40 * time.Second)
			synctest.Wait()
			if got := s.names(ann); got != "" || len(s.files()) != 0 {
				t.Errorf("after 100 s, there are %s, %v", got, s.files())
			}
		})
	})
	t.Run("count", func(t *testing.T) {
		s := newShelf(t, StoreOptions{Count: 2})
		s.put(other, "o", 1)
		for _, name := range []string{"a", "b", "c"} {
			s.put(ann, name, 1)
		}
		if got := s.names(ann); got != "b c" || s.names(other) != "o" || len(s.files()) != 3 {
			t.Errorf("there are %s, and %s of another", got, s.names(other))
		}
	})
	t.Run("bytes", func(t *testing.T) {
		s := newShelf(t, StoreOptions{Size: 100})
		s.put(other, "o", 30)
		s.put(ann, "a", 40)
		s.put(ann, "b", 30)
		if s.names(ann) != "a b" {
			t.Errorf("at the limit, there are %s", s.names(ann))
		}
		s.put(other, "p", 10) // ann has most
		if s.names(ann) != "b" || s.names(other) != "o p" {
			t.Errorf("there are %s, and %s of another", s.names(ann), s.names(other))
		}
		if _, err := s.put(ann, "all", 100); err != nil || s.names(ann) != "all" && s.names(ann) != "" {
			t.Errorf("%v, there are %s", err, s.names(ann))
		}
		if _, err := s.put(ann, "more", 101); err == nil || err.Error() != TooLarge(100) {
			t.Errorf("a file of 101 bytes: %v", err)
		}
		if n := len(s.files()); n != len(strings.Fields(s.names(ann)+" "+s.names(other))) {
			t.Errorf("there are %d files", n)
		}
	})
	s := newShelf(t, StoreOptions{})
	limittest.Reach(t, "maxURL", maxURL, func(n int) bool { return len(CutURL(strings.Repeat("x", n))) == n })
	s.put(ann, "a", 1)
	s.put(Owner{Hub: "sandbox", Account: "ann"}, "b", 1)
	if s.DropHub("sandbox"); s.names(Owner{Hub: "sandbox", Account: "ann"}) != "" || s.names(ann) != "a" {
		t.Error("a hub that has ended has downloads, or another has none")
	}
	s.Close()
	if _, err := s.put(ann, "late", 1); !errors.Is(err, errStoreClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := s.Create(""); !errors.Is(err, errStoreClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestR331EachFindsItsOwnDownloads is the table of who finds which file: for everybody else it is as
// unknown as one that never was, to list, to open and to delete.
func TestR331EachFindsItsOwnDownloads(t *testing.T) {
	owners := map[string]Owner{
		"ann": ann, "ben": {Hub: "h", Account: "ben"}, "ann elsewhere": {Hub: "g", Account: "ann"}, "nobody": {Hub: "h"},
		"ann's own tabs": {Hub: "h", Account: "ann", Tabs: "one"}, "ann's other tabs": {Hub: "h", Account: "ann", Tabs: "two"},
	}
	also := map[string]string{"ann": "ann's own tabs, ann's other tabs"} // who sees all tabs of a token
	for of, owner := range owners {
		for by, asker := range owners {
			s := newShelf(t, StoreOptions{})
			k, err := s.put(owner, "a", 1)
			if err != nil {
				t.Fatal(err)
			}
			finds := of == by || slices.Contains(strings.Split(also[by], ", "), of)
			box := s.Box(asker, "")
			f, _, err := box.OpenFile(k.ID)
			if (err == nil) != finds || err != nil && !errors.Is(err, ErrNotKept) {
				t.Errorf("%s opens that of %s: %v", by, of, err)
			}
			if err == nil {
				f.Close()
			}
			if got := s.names(asker) == "a"; got != finds {
				t.Errorf("%s sees that of %s: %v", by, of, got)
			}
			if got := box.Delete(k.ID); got != finds || s.names(owner) == "a" == finds {
				t.Errorf("%s deletes that of %s: %v", by, of, got)
			}
			if _, _, err := box.OpenFile("../" + k.ID); !errors.Is(err, ErrNotKept) {
				t.Errorf("a path: %v", err)
			}
		}
	}
}

// TestR334ClientFolders checks where a file may be put for a Client that may not name files, and that
// what was put there goes with the file that is kept.
func TestR334ClientFolders(t *testing.T) {
	s := newShelf(t, StoreOptions{Count: 1, Size: 100})
	at := func(path string, mode os.FileMode) string {
		path = filepath.Join(os.Getenv("TMPDIR"), path)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := at("playwright-artifacts-1", 0o700)
	link := filepath.Join(os.Getenv("TMPDIR"), "playwright-artifacts-link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(os.Getenv("TMPDIR"), "playwright-artifacts-file")
	if err := os.WriteFile(file, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		good: true, good + "/": true, good + "/x/..": true,
		at("other", 0o700): false, at("playwright-artifacts-2", 0o755): false, at("deep/playwright-artifacts-3", 0o700): false,
		at("playwright-artifacts-1/playwright-artifacts-4", 0o700): false,
		link: false, file: false, "playwright-artifacts-1": false, "": false, "/": false, good + "none": false, os.Getenv("TMPDIR"): false,
	} {
		if got := IsClientFolder(filepath.Clean(path)); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	f, err := s.Create("")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil || s.coming.used != 0 {
			t.Errorf("%v, %d bytes stay in use", err, s.coming.used)
		}
	}()
	f.Write([]byte("hello"))
	if _, err := f.Write(make([]byte, s.Size())); !errors.Is(err, ErrNoRoom) {
		t.Errorf("more than the hub has room for is written: %v", err)
	}
	if path, err := f.SaveTo(t.TempDir(), "a"); err == nil {
		t.Errorf("saved as %s", path)
	}
	saved, err := f.SaveTo(good, "a")
	if text, _ := os.ReadFile(saved); err != nil || string(text) != "hello" || filepath.Dir(saved) != good {
		t.Fatalf("saved as %s with %q, %v", saved, text, err)
	}
	size, sum := f.Measure()
	k, err := s.Keep(Item{Owner: ann, GUID: "G", Path: f.Name(), Copy: saved, Size: size, SHA256: sum})
	if err != nil || k.Size != 5 || k.SHA256 != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Errorf("%+v, %v", k, err)
	}
	s.put(ann, "newer", 1)
	if _, err := os.Stat(saved); err == nil {
		t.Error("the copy has outlived the file that was kept")
	}
}
