package proxy

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestR362Limits goes to the ends of what is read of a document, of a text, and of what pages
// have hashes of.
func TestR362Limits(t *testing.T) {
	endless := "<!--" + strings.Repeat("x", maxBefore)
	if got := injected(t, strings.NewReader(endless), true); got != mark+endless {
		t.Errorf("a comment without end: %.40q", got)
	}
	root := `<html xmlns="http://www.w3.org/1999/xhtml"></html>`
	for n, want := range map[int]bool{100: true, maxProlog: false} {
		doc := "<!--" + strings.Repeat("x", n) + "-->" + root
		got, err := io.ReadAll(&xmlInjector{src: strings.NewReader(doc), tag: []byte(mark)})
		if bytes.Contains(got, []byte(mark)) != want || err != nil {
			t.Errorf("XML after a comment of %d bytes: %v, want a tag: %t", n, err, want)
		}
	}
	for n, want := range map[int]bool{100: true, maxText: false} {
		own, _ := serve(t, answer(200, "top.location;"+strings.Repeat(" ", n), "Content-Type: text/javascript"), nil)
		if _, body := ask(t, "GET", own+"/a.js", "Sec-Fetch-Dest: script"); strings.HasPrefix(body, "new function") != want {
			t.Errorf("a script of %d bytes is read: %t", n, !want)
		}
	}
	list := pins{warned: map[string]bool{}}
	for i := range maxPins + 1 {
		list.add(strconv.Itoa(i))
	}
	if !list.pinned("0") || list.pinned(strconv.Itoa(maxPins)) {
		t.Error("more addresses are remembered than may be")
	}
	for size, want := range map[int]bool{maxWindow: true, 2 * maxWindow: false} {
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(size))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(bytes.Repeat([]byte("abcdefgh"), 3*maxWindow/8))
		w.Close()
		u := &unpacker{src: io.NopCloser(&packed), decode: decoders["zstd"]}
		if _, err := io.Copy(io.Discard, u); (err == nil) != want {
			t.Errorf("a window of %d bytes: %v", size, err)
		}
		u.Close()
	}
}
