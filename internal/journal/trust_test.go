package journal

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/targets"
)

// TestR160LongTextsAreNotKept has a page say all of a long text that was typed, such as
// a key, and of one that is too long to be remembered.
func TestR160LongTextsAreNotKept(t *testing.T) {
	text := func(seed string, n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%x", sha256.Sum256(fmt.Append(nil, seed, i)))
		}
		return b.String()[:n]
	}
	for _, n := range []int{100, 255, 256, 257, 271, 272, 273, 513, 1500, 1900, 20_000, 100_000} {
		typed := text("typed", n)
		play(t, Options{}, func(s *stage) {
			s.send("Input.insertText", `{"text":"`+typed+`"}`)
			s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"it is `+typed[:min(n, 1900)]+`"}]}`)
			all := strings.Join(s.texts(), "\n")
			for at := 0; at+8 <= n; at++ {
				if strings.Contains(all, typed[at:at+8]) {
					t.Errorf("of %d characters that were typed, the timeline has those at %d: %s", n, at, all)
					break
				}
			}
			s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"nothing of it"}]}`)
			if all := strings.Join(s.texts(), "\n"); n < 10_000 && !strings.Contains(all, "nothing of it") {
				t.Errorf("after %d characters nothing is kept: %s", n, all)
			}
		})
	}
}

// TestR160WhatIsLostIsNotKeptEither has so much happen elsewhere that the Journal does
// not hear what is typed, and then the page repeat it.
func TestR160WhatIsLostIsNotKeptEither(t *testing.T) {
	dir := t.TempDir()
	play(t, Options{Record: &Record{Dir: dir}}, func(s *stage) {
		said := func(text string) {
			s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"`+text+`"}]}`)
		}
		s.j.mu.Lock() // the Journal does nothing meanwhile
		for range 4 * int(quota.Table[quota.TimelineQueue].Total) / leastItem {
			s.j.queue.put(item{key: lineKey{"other", "T9"}, typed: true, do: func(*Journal, *line) {}})
		}
		s.client.Receive([]byte(`{"id":7,"method":"Input.insertText","params":{"text":"hunter22"},"sessionId":"` + s.host.session + `"}`))
		s.j.mu.Unlock()
		s.pass(time.Second)
		said("you typed hunter22")
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/?q=hunter22"}}`)
		for n := range mostTyped {
			s.send("Input.insertText", fmt.Sprintf(`{"text":"other%d"}`, n))
		}
		said("other5 and more")
		s.pass(time.Second)
		all := fmt.Sprintf("%+v", s.j.Entries("h", "T0", 0, relay.Watcher{})) + recorded(t, dir)
		if strings.Contains(all, "hunter22") || strings.Contains(all, "other5") || !strings.Contains(all, "and more") {
			t.Errorf("the timeline has what was typed, or nothing any more: %s", all)
		}
	})
}

// TestR165FilesAreForWhoMaySeeThem has a page of the web show a file, and go back.
func TestR165FilesAreForWhoMaySeeThem(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		s.click(1, 1)
		s.pass(3 * time.Second)
		s.send("Page.navigate", `{"url":"file:///home/ann/notes.txt"}`)
		s.events.TargetChanged(targets.Info{ID: "T0", URL: "file:///home/ann/notes.txt", NotWeb: true})
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"file:///home/ann/notes.txt"}}`)
		s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"hush"}]}`)
		s.click(2, 2)
		s.keys("abc")
		s.pass(3 * time.Second)
		s.host.late = "Page.captureScreenshot" // begun at the file, and answered after it
		s.click(3, 3)
		s.pass(2 * time.Second)
		s.events.TargetChanged(targets.Info{ID: "T0", URL: "https://a.example/"})
		s.pass(time.Second)
		s.host.late = ""
		s.host.releaseFirst()
		s.pass(2 * time.Second)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/"}}`)
		s.event("Network.requestWillBeSent", `{"requestId":"R1","type":"Document","request":{"url":"file:///home/ann/asked.txt","method":"GET"}}`)
		s.event("Network.loadingFailed", `{"requestId":"R1","errorText":"net::ERR_ABORTED"}`)
		s.click(4, 4)
		s.pass(2 * longestRest) // the page was long at its last picture
		see := func(w relay.Watcher) (texts string, pictures int) {
			for _, e := range s.j.Entries("h", "T0", 0, w) {
				if texts += e.Text + "\n"; e.Picture {
					pictures++
				}
			}
			had := 0
			for seq := range uint64(100) {
				if len(s.j.Picture("h", "T0", seq, w)) > 0 {
					had++
				}
			}
			if had != pictures {
				t.Errorf("%d pictures can be had, %d are listed", had, pictures)
			}
			return texts, pictures
		}
		texts, pictures := see(relay.Watcher{Policy: scope.Full})
		if want := "clicked at (1, 1)\n\nhttps://a.example/\nclicked at (4, 4)\n\n"; texts != want || pictures != 2 {
			t.Errorf("who may see no files sees %d pictures and\n%s", pictures, texts)
		}
		for _, p := range []relay.Policy{nil, scope.Privileged} {
			if texts, pictures := see(relay.Watcher{Policy: p}); !strings.Contains(texts, "notes.txt") || !strings.Contains(texts, "asked.txt") || !strings.Contains(texts, "hush") || !strings.Contains(texts, "typed 3") || pictures != 5 {
				t.Errorf("who may see files sees %d pictures and\n%s", pictures, texts)
			}
		}
	})
}

// TestR163RequestsThatNeverEnd has a page send long requests that nobody answers, and
// one that grows.
func TestR163RequestsThatNeverEnd(t *testing.T) {
	play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		long := strings.Repeat("y", 1800)
		var headers strings.Builder
		for i := range 25 {
			fmt.Fprintf(&headers, `%q:%q,`, fmt.Sprint("h", i), long)
		}
		for i := range 500 {
			s.events.Event("T0", "Network.requestWillBeSent", fmt.Appendf(nil, `{"requestId":"%d","request":{"method":"GET","url":"http://a.example/","headers":{%s"z":""}}}`, i, headers.String()))
			s.events.Event("T0", "Network.responseReceived", fmt.Appendf(nil, `{"requestId":"%d","response":{"status":200,"headers":{%s"z":""}}}`, i, headers.String()))
		}
		s.pass(time.Second)
		s.j.mu.Lock()
		defer s.j.mu.Unlock()
		l := s.j.lines[lineKey{"h", "T0"}]
		held := 0
		for _, x := range l.loads.open {
			for _, h := range []map[string]string{x.Asked, x.Answered} {
				for name, value := range h {
					held += len(name) + len(value)
				}
			}
		}
		if held > 1<<20 || len(l.loads.open) == 0 {
			t.Errorf("%d bytes of %d requests are held, want at most 1 MiB", held, len(l.loads.open))
		}
		for id := range l.loads.open {
			l.loads.remove(id)
		}
		if l.loads.bytes != 0 {
			t.Errorf("%d bytes are counted of no requests", l.loads.bytes)
		}
	})
}

// TestR163WhatIsActedOnCounts has entries whose elements have long names.
func TestR163WhatIsActedOnCounts(t *testing.T) {
	bare := Entry{Action: &Action{Do: Click, On: &Element{}}}
	long := strings.Repeat("n", 200)
	named := Entry{Action: &Action{Do: Click, On: &Element{Role: long, Name: long, Label: long, Placeholder: long, TestID: long, CSS: long}}}
	if more := named.size() - bare.size(); more != 6*200 {
		t.Errorf("1200 bytes of an element count as %d", more)
	}
}
