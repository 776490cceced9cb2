package journal

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay"
)

// reported are the events and the answers of a page that a Journal reads.
var reported = append([]string{"Page.captureScreenshot", "Page.getFrameTree", "Page.createIsolatedWorld", "Runtime.evaluate"}, eventNames()...)

func eventNames() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if methods[name].event != nil {
			list = append(list, name)
		}
	}
	return list
}

// FuzzR250Reports has a page send any event, and answer any question of the Journal, with
// any JSON that the hub would pass on. Units are repeated, since a fuzzer makes no long
// texts. Whatever the page says, the Journal keeps what comes afterwards, its entries are
// short, and it allocates no more than ten times of what the page has said.
func FuzzR250Reports(f *testing.F) {
	for _, s := range []struct {
		name, head, unit, tail string
		n                      uint16
	}{
		{"Runtime.consoleAPICalled", `{"args":[`, `{},`, `{}]}`, 20000},
		{"Network.requestWillBeSent", `{"requestId":"1","request":{"url":"x","headers":{`, `"a":"b",`, `"c":"d"}}}`, 8000},
		{"Network.loadingFinished", `{"requestId":"1","encodedDataLength":1e300}`, "", "", 0},
		{"Page.javascriptDialogOpening", `{"message":"`, "é", `"}`, 30000},
		{"Page.frameNavigated", `{"frame":{"id":"`, "F", `"}}`, 60000},
		{"Runtime.evaluate", `{"result":{"value":{"under":{"name":"`, "x", `"}}}}`, 60000},
		{"Page.createIsolatedWorld", `{"executionContextId":`, "9", `}`, 18},
		{"Page.getFrameTree", `{"frameTree":{"frame":{"id":{}}}}`, "", "", 0},
		{"Page.captureScreenshot", `{"data":"`, "AAAA", `"}`, 60000},
	} {
		f.Add(uint8(slices.Index(reported, s.name)), s.head, s.unit, s.tail, s.n)
	}
	f.Fuzz(func(t *testing.T, which uint8, head, unit, tail string, n uint16) {
		if len(unit)*int(n) > 1<<20 {
			return
		}
		text := head + strings.Repeat(unit, int(n)) + tail
		if !wire.IsObject([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		name := reported[int(which)%len(reported)]
		play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if methods[name] == nil {
				s.host.answers[name] = text
			} else {
				s.event(name, text)
			}
			s.click(5, 5)
			s.event("Network.requestWillBeSent", `{"requestId":"1","request":{"url":"http://a/","method":"GET"}}`)
			s.event("Network.responseReceived", `{"requestId":"1","response":{"status":200}}`)
			s.event("Network.loadingFinished", `{"requestId":"1"}`)
			runtime.ReadMemStats(&after)
			asked := 1 + len(s.host.got) // as often it may have answered
			if used, most := int(after.TotalAlloc-before.TotalAlloc), 10*asked*len(text)+32<<20; used > most {
				t.Errorf("%s of %d bytes took %d bytes, at most %d are right", name, len(text), used, most)
			}
			s.event("Log.entryAdded", `{"entry":{"level":"info","text":"afterwards"}}`)
			if texts := s.texts(); !slices.Contains(texts, "console: afterwards") {
				t.Errorf("afterwards nothing is kept: %q", texts)
			}
			for _, e := range s.j.Entries("h", "T0", 0, relay.Watcher{}) {
				if e.Kind != Picture && len(e.Text) > 16<<10 {
					t.Errorf("an entry of %s has %d bytes of text", e.Method, len(e.Text))
				}
			}
		})
	})
}
