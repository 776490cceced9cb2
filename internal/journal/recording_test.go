package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"
	logs "go.uber.org/zap/zaptest/observer"

	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/relay/quota"
)

// recordings opens what is in a folder.
func recordings(t *testing.T, dir string) (list []*Recording) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*"+Extension))
	for _, name := range names {
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// recorded is all text of the recordings in a folder.
func recorded(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	for _, r := range recordings(t, dir) {
		text, _ := json.Marshal(r)
		out.Write(text)
	}
	return out.String()
}

const seen = `{"result":{"value":{"under":{"role":"button","name":"Save","css":"#save","dx":3,"dy":4},"focus":{"role":"textbox","name":"Name","label":"Name","css":"#name"}}}}`

func TestRecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var log logtest.Buffer
	play(t, Options{Record: &Record{Dir: dir}, Log: logtest.Open(t, &log).Logger}, func(s *stage) {
		s.host.answers["Runtime.evaluate"] = seen
		s.send("Page.navigate", `{"url":"https://a.example/"}`)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/"}}`)
		s.click(10, 20)
		s.send("Input.insertText", `{"text":"secret words"}`)
		s.pass(2 * time.Second)
		s.send("Page.reload", `{}`)
		s.pass(2 * time.Second)
	})
	list := recordings(t, dir)
	if len(list) != 1 {
		t.Fatalf("%d recordings, want 1", len(list))
	}
	r := list[0]
	if r.Hub != "h" || r.Target != "T0" || r.Version != 1 || r.Cut != "" {
		t.Errorf("header %+v", r.Header)
	}
	var got []string
	for _, e := range r.Entries {
		got = append(got, e.Text)
		if e.Picture {
			if data, err := r.Picture(e.Seq); err != nil || !bytes.HasPrefix(data, []byte{0xff, 0xd8}) {
				t.Errorf("picture %d: %v, %v", e.Seq, data, err)
			}
		}
	}
	want := `["navigated to https://a.example/" "https://a.example/" "clicked at (10, 20) on button \"Save\"" "typed 12 characters on textbox \"Name\"" "" "reloaded the page" ""]`
	if fmt.Sprintf("%q", got) != want {
		t.Errorf("entries %q, want %s", got, want)
	}
	if strings.Contains(recorded(t, dir), "secret words") {
		t.Error("the recording has what was typed")
	}
	if audited := `"logger":"audit","msg":"recording begins","hub":"h","target":"T0","file":`; strings.Count(log.String(), audited) != 1 {
		t.Errorf("want the audit log to have %s once:\n%s", audited, &log)
	}
}

// TestR164OnlyTheUserReadsRecordings looks at the modes of all that is written.
func TestR164OnlyTheUserReadsRecordings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rec")
	play(t, Options{Record: &Record{Dir: dir}}, func(s *stage) {
		s.click(1, 2)
		s.pass(3 * time.Second)
	})
	files := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil || files != 2 {
		t.Errorf("%d files, want a recording and a picture; %v", files, err)
	}
}

// TestACrashLosesWhatWasNotFlushed reads recordings that end in the middle.
func TestACrashLosesWhatWasNotFlushed(t *testing.T) {
	dir := t.TempDir()
	play(t, Options{Record: &Record{Dir: dir}}, func(s *stage) {
		for i := range 3 {
			s.send("Page.navigate", fmt.Sprintf(`{"url":"https://a.example/%d"}`, i))
			s.pass(3 * time.Second)
		}
	})
	names, _ := filepath.Glob(filepath.Join(dir, "*"+Extension))
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for n := range len(whole) {
		r, err := Read(bytes.NewReader(whole[:n]))
		if err != nil {
			continue
		}
		if len(r.Entries) < most {
			t.Fatalf("%d bytes have %d entries, fewer bytes had %d", n, len(r.Entries), most)
		}
		most = len(r.Entries)
	}
	if most < 2 {
		t.Errorf("at most %d entries are read of a file without its end", most)
	}
}

func TestRecordingsMakeRoom(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old"+Extension)
	if err := os.WriteFile(old, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Hour) // before the clock of the test
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	play(t, Options{Record: &Record{Dir: dir, Size: 1 << 20}}, func(s *stage) {
		s.click(1, 1)
		s.pass(3 * time.Second)
	})
	if _, err := os.Stat(old); err == nil {
		t.Error("the old recording is still there")
	}
	if n := len(recordings(t, dir)); n != 1 {
		t.Errorf("%d recordings, want the new one", n)
	}
}

func TestRecordToNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Record: &Record{Dir: file}}); err == nil || !strings.Contains(err.Error(), "server.Timeline.Record") {
		t.Errorf("a file in place of the folder: %v", err)
	}
}

func compress(t testing.TB, text string) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.EncodeAll([]byte(text), nil)
}

func TestR166ReadSaysWhatIsWrong(t *testing.T) {
	const header = `{"cdphub":1,"hub":"","targetId":"T","began":1}` + "\n"
	for _, tc := range []struct {
		name, text, err, cut string
		entries              int
	}{
		{"nothing", "", "this is not a recording of cdphub", "", 0},
		{"another file", "{}\n", "its first line is not that of a recording", "", 0},
		{"a newer one", `{"cdphub":9}`, "a newer version of cdphub has made this recording (format 9)", "", 0},
		{"a bad line", header + `{"seq":1,"at":1,"kind":"console"}` + "\n{", "", "entry 2 cannot be read", 1},
		{"the same number", header + strings.Repeat(`{"seq":1,"at":1,"kind":"console"}`+"\n", 2), "", "not newer", 1},
		{"a long line", header + strings.Repeat("x", longestLine+1), "", "token too long", 0},
		{"much of nothing", header + strings.Repeat(" ", mostFile/64) + "\n", "", "token too long", 0},
	} {
		r, err := Read(bytes.NewReader(compress(t, tc.text)))
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %q", tc.name, err, tc.err)
			}
		case err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case len(r.Entries) != tc.entries || !strings.Contains(r.Cut, tc.cut):
			t.Errorf("%s: %d entries, cut %q; want %d and %q", tc.name, len(r.Entries), r.Cut, tc.entries, tc.cut)
		}
	}
	if _, err := Read(strings.NewReader("plain text")); err == nil {
		t.Error("plain text is read as a recording")
	}
}

func FuzzRead(f *testing.F) {
	good := compress(f, `{"cdphub":1,"hub":"","targetId":"T","began":1}`+"\n"+`{"seq":1,"at":1,"kind":"command","action":{"do":"click","on":{}}}`+"\n")
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add(append(bytes.Clone(good), good...))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		last := uint64(0)
		for i, e := range r.Entries {
			if i > 0 && e.Seq <= last {
				t.Fatalf("entry %d has number %d after %d", i, e.Seq, last)
			}
			last = e.Seq
		}
	})
}

// TestTheElementIsKnownWhenThePageGoes has the answer for the move of the pointer
// come, and none for the press.
func TestTheElementIsKnownWhenThePageGoes(t *testing.T) {
	dir := t.TempDir()
	play(t, Options{Record: &Record{Dir: dir}}, func(s *stage) {
		s.host.answers["Runtime.evaluate"] = seen
		s.host.late = "Runtime.evaluate"
		s.click(10, 20)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/next"}}`)
		s.host.releaseFirst()
		s.event("Runtime.executionContextsCleared", `{}`)
		s.host.failRest()
		s.pass(5 * time.Second)
	})
	if all := recorded(t, dir); !strings.Contains(all, `clicked at (10, 20) on button \"Save\"`) {
		t.Errorf("the recording has no element: %s", all)
	}
}

// TestR166ABombNeedsLittleMemory reads small files that become large ones.
func TestR166ABombNeedsLittleMemory(t *testing.T) {
	const header = `{"cdphub":1,"hub":"","targetId":"T","began":1}` + "\n"
	line := `{"seq":%d,"at":1,"kind":"console"}` + "\n"
	var entries strings.Builder
	for i := range mostRecorded + 10 {
		fmt.Fprintf(&entries, line, i+1)
	}
	blank := compress(t, strings.Repeat("\n", 8<<20))
	bomb := compress(t, header)
	for range 64 { // 512 MiB of nothing, which no recording has
		bomb = append(bomb, blank...)
	}
	for name, file := range map[string][]byte{"many entries": compress(t, header+entries.String()), "empty lines": bomb} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > mostFile {
			t.Errorf("%s: %d MiB are held", name, held>>20)
		}
		if r.Cut == "" || len(r.Entries) > mostRecorded {
			t.Errorf("%s: %d entries, cut %q", name, len(r.Entries), r.Cut)
		}
		runtime.KeepAlive(r)
	}
}

// TestRecordingGoesOnAfterAFlood has more in a minute than --record-size: what does not
// fit is left out, and recording goes on.
func TestRecordingGoesOnAfterAFlood(t *testing.T) {
	dir := t.TempDir()
	core, said := logs.New(zap.ErrorLevel)
	play(t, Options{Log: zap.New(core), Record: &Record{Dir: dir, Size: 4 << 10}}, func(s *stage) {
		for i := range 300 {
			s.send("Page.navigate", fmt.Sprintf(`{"url":"https://a.example/%x%x"}`, sha256.Sum256([]byte{byte(i)}), sha256.Sum256([]byte{1, byte(i)})))
			s.pass(100 * time.Millisecond)
		}
		if n := len(s.texts()); n != 300 {
			t.Errorf("%d entries in memory, want 300", n)
		}
		if list := said.All(); len(list) != 1 || !strings.Contains(list[0].Message, "entries are missing in the recordings") {
			t.Errorf("the log says %v, want once that entries are missing", list)
		}
		s.pass(2 * time.Minute)
		s.send("Page.navigate", `{"url":"https://a.example/later"}`)
		s.pass(2 * time.Second)
	})
	for _, r := range recordings(t, dir) {
		if r.Cut != "" || len(r.Entries) == 0 {
			t.Errorf("%d entries, cut %q", len(r.Entries), r.Cut)
		}
	}
	if all := recorded(t, dir); !strings.Contains(all, "a.example/later") {
		t.Errorf("after a flood nothing is recorded any more: %s", all)
	}
}

// TestTheHubGoesOnWhenTheDiskIsFull has nothing written any more.
func TestTheHubGoesOnWhenTheDiskIsFull(t *testing.T) {
	core, said := logs.New(zap.ErrorLevel)
	play(t, Options{Log: zap.New(core), Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		s.j.mu.Lock()
		s.j.files.root.Close() // as a disk on which nothing can be written
		s.j.mu.Unlock()
		for range 3 {
			s.click(1, 1)
			s.pass(2 * time.Second)
		}
		if n := len(s.texts()); n != 3 {
			t.Errorf("%d entries in memory, want 3", n)
		}
	})
	if list := said.All(); len(list) != 1 || !strings.Contains(list[0].Message, "recording has stopped: make room") {
		t.Errorf("the log says %v, want once that recording has stopped", list)
	}
}

// TestRecordingsOfLikeTargets has targets whose ids, which a Host chooses, become the
// same name of a file at the same time.
func TestRecordingsOfLikeTargets(t *testing.T) {
	dir := t.TempDir()
	core, said := logs.New(zap.ErrorLevel)
	play(t, Options{Log: zap.New(core), Record: &Record{Dir: dir}}, func(s *stage) {
		s.j.mu.Lock()
		for _, id := range []string{"a.b", "ab", "../ab", "a/b", strings.Repeat("a", 200), strings.Repeat("a", 201)} {
			s.j.keepLocked(s.j.lineLocked(lineKey{"h", id}, quota.Payer{}, time.Now()), Entry{Kind: Console, Text: "of " + id}, []byte("x"))
		}
		s.j.mu.Unlock()
		s.pass(2 * time.Second)
		s.click(1, 1)
		s.pass(2 * time.Second)
	})
	if list := recordings(t, dir); len(list) != 7 || said.Len() > 0 {
		t.Errorf("%d recordings, want 7; the log says %v", len(list), said.All())
	}
}

// TestR345ADownloadIsRecordedForExports has a page begin to download a file, whose name is not kept.
func TestR345ADownloadIsRecordedForExports(t *testing.T) {
	dir := t.TempDir()
	play(t, Options{Record: &Record{Dir: dir}}, func(s *stage) {
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/"}}`)
		s.click(10, 20)
		s.event("Page.downloadWillBegin", `{"frameId":"T0","guid":"g","url":"https://a.example/f","suggestedFilename":"payslip of Ann.pdf"}`)
		s.pass(2 * time.Second)
		if got := strings.Join(s.texts(), ";"); strings.Contains(got, "download") || strings.HasSuffix(got, ";") {
			t.Errorf("the timeline has it, too: %s", got)
		}
	})
	if got := recorded(t, dir); strings.Count(got, `"do":"download"`) != 1 || strings.Contains(got, "Ann") {
		t.Errorf("want one download without its name: %s", got)
	}
}
