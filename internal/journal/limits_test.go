package journal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to what a timeline keeps of a page.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "mostLoads", mostLoads, func(n int) bool {
		ls := loads{}
		for i := range n {
			ls.add(fmt.Sprint(i), new(load))
		}
		return ls.open["0"] != nil && len(ls.order) == n
	})
	limittest.Reach(t, "mostLoadBytes", mostLoadBytes, func(n int) bool {
		ls, x := loads{}, new(load)
		x.URL = strings.Repeat("x", n-2*overhead)
		ls.add("1", x)
		return ls.open["1"] != nil
	})
	limittest.Reach(t, "mostEntries", mostEntries, func(n int) bool {
		r := ring{}
		for range n {
			r.add(kept{}, 1<<40)
		}
		return len(r.kept) == n
	})
	limittest.Reach(t, "mostHeaders", mostHeaders, func(n int) bool {
		h := map[string]string{}
		for i := range n {
			h[fmt.Sprint("x-", i)] = ""
		}
		return len(new(line).headers(h)) == n
	})
	limittest.Reach(t, "longestParams", longestParams, func(n int) bool { return len(copyParams(make([]byte, n))) == n })
	limittest.Reach(t, "longestText", longestText, func(n int) bool { return len(new(line).text(strings.Repeat("x", n))) == n })
	limittest.Reach(t, "longestURL", longestURL, func(n int) bool {
		return len(new(line).address("http://a.test/"+strings.Repeat("x", n-14))) == n
	})
	limittest.Reach(t, "mostPieces", mostPieces, func(n int) bool {
		typed := typed{}
		typed.add(strings.Repeat("x", longestTyped*(n-1)+longestTyped/2), new(origin))
		return typed.unknown == 0
	})
	limittest.Reach(t, "mostTyped", mostTyped, func(n int) bool {
		typed := typed{}
		for i := range n {
			typed.add(fmt.Sprintf("%04d typed", i), new(origin))
		}
		return typed.redact("0000 typed") != "0000 typed"
	})
	limittest.Reach(t, "mostQueued", mostQueued, func(n int) bool {
		l := new(line)
		l.probe.making = true
		for range n {
			l.inWorld(nil)
		}
		return len(l.probe.queued) == n
	})
	asksBody := func(status, size int) bool {
		l := new(line)
		l.asking, l.hub = mostAsked, &observer{j: new(Journal)}
		l.hub.j.queue.closed = true
		return (&Journal{files: &files{o: Record{Text: true}}}).askBody(l, new(event), "1", &load{Exchange: Exchange{Status: status, Size: int64(size)}})
	}
	limittest.Reach(t, "longestBody", longestBody, func(n int) bool { return asksBody(200, n) })
	for status, has := range map[int]bool{199: false, 200: true, 204: false, 299: true, 300: false, 399: false, 400: true} {
		if asksBody(status, 1) != has {
			t.Errorf("a response with status %d has a body: %v", status, !has)
		}
	}
	limittest.Reach(t, "longestID", longestID, func(n int) bool {
		l := new(line)
		requestSent(new(Journal), l, &event{params: []byte(`{"requestId":"` + strings.Repeat("x", n) + `","request":{}}`)})
		return len(l.loads.order) == 1
	})
	limittest.Reach(t, "mostAsked", mostAsked, func(n int) bool {
		l := new(line)
		l.asking, l.hub = n-1, &observer{j: new(Journal)}
		l.hub.j.queue.closed = true // a refusal is an item of the queue
		l.ask(capture, nil, nil)
		return l.asking == n
	})
	limittest.Reach(t, "mostShort", mostShort, func(n int) bool {
		typed := typed{}
		for i := range n {
			typed.add(fmt.Sprintf("%02d", i), new(origin))
		}
		return typed.isShortIn([]string{"00"})
	})
	limittest.Reach(t, "longestLabel", longestLabel, func(n int) bool {
		return (&Element{Called: []string{strings.Repeat("x", n-len("password")) + "password"}}).isSecret()
	})
	limittest.Reach(t, "maxFrames", maxFrames, func(n int) bool {
		return len(new(line).cleaned(&Element{Frames: make([]string, n)}).Frames) == n
	})
	limittest.Reach(t, "mostLogged", mostLogged, func(n int) bool {
		l := new(line)
		l.probe.open = 1
		l.took(nil, &pageState{Log: make([]logged, n)})
		return len(l.probe.log) == n
	})
	limittest.Reach(t, "longestRead", longestRead, func(n int) bool { return new(line).lasts(strings.Repeat("x", n)) })
	limittest.Reach(t, "mostReads", mostReads, func(n int) bool {
		l, s := new(line), &pageState{Reads: new(pageTexts)}
		for i := range n {
			s.Reads.Headings = append(s.Reads.Headings, strings.Repeat("x", i+1))
		}
		l.read(nil, s)
		return len(l.probe.reads.since) == n
	})
}
