package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to what one call may ask for, and to what is kept of a page.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	limittest.Reach(t, "maxLocator", maxLocator, func(n int) bool { return checkLocator(CSS(x(n))) == nil })
	limittest.Reach(t, "MaxPattern", MaxPattern, func(n int) bool { _, err := CompilePattern(x(n)); return err == nil })
	limittest.Reach(t, "MaxPattern of a text", MaxPattern, func(n int) bool { _, err := CompileText(x(n)); return err == nil })
	limittest.Reach(t, "maxSteps", maxSteps, func(n int) bool {
		_, err := CompilePattern(x(n-1202) + "a{400}") // 1 for both, 1 for the text, 3 for each a
		return err == nil
	})
	limittest.Reach(t, "MaxGlobs", MaxGlobs, func(n int) bool { r := Route{Patterns: make([]RoutePattern, n)}; return r.compile() == nil })
	limittest.Reach(t, "maxUpload", maxUpload, func(n int) bool {
		_, err := fileContents([]File{{Name: "a", Data: make([]byte, n/2)}, {Name: "b", Data: make([]byte, n-n/2)}})
		return err == nil
	})
	limittest.Reach(t, "maxFrames", maxFrames, func(n int) bool {
		table, tree := frameTable{parents: map[string]string{}}, frameTree{ChildFrames: make([]frameTree, n-1)}
		tree.Frame.ID = "main"
		for i := range tree.ChildFrames {
			tree.ChildFrames[i].Frame.ID = fmt.Sprint(i)
		}
		return table.add(&tree) == nil
	})
	limittest.Reach(t, "maxFrames of other processes", maxFrames, func(n int) bool {
		p := &Page{b: &Browser{sessions: map[string]*Page{}, closed: true}, frames: pageFrames{sessions: map[string]string{}}}
		for i := range n - 1 {
			p.frames.sessions[fmt.Sprint(i)] = ""
		}
		p.childAttached("", targetEvent{SessionID: "S", TargetInfo: targetInfo{TargetID: "last", Type: "iframe"}})
		return len(p.frames.sessions) == n
	})
	limittest.Reach(t, "maxHandoffs", maxHandoffs, func(n int) bool {
		var list handoffs
		for i := range n {
			list.find(fmt.Sprint(i), Handoff{})
		}
		return len(list) == n
	})
	limittest.Reach(t, "maxLoads", maxLoads, func(n int) bool {
		d := mainDocument{loads: map[string]*load{}}
		for i := range n {
			d.load(fmt.Sprint(i))
		}
		return len(d.loads) == n
	})
	limittest.Reach(t, "longestWord", longestWord, func(n int) bool {
		d := mainDocument{loads: map[string]*load{}}
		d.load(x(n))
		return d.loads[x(n)] != nil
	})
	limittest.Reach(t, "maxHeaders", maxHeaders, func(n int) bool {
		p := &Page{b: &Browser{shared: new(Shared)}}
		return len(p.redactHeaders(map[string]string{"accept": x(1000), "x": x(n - 1007)})) == 2
	})
	limittest.Reach(t, "longestURL", longestURL, func(n int) bool {
		p := &Page{b: &Browser{shared: new(Shared)}}
		return p.redactURL(x(n)) == x(n)
	})
	limittest.Reach(t, "maxRequests", maxRequests, func(n int) bool {
		l := requestLog{byID: map[string]*Request{}}
		for i := range n {
			l.add(&Request{ID: fmt.Sprint(i)})
		}
		return len(l.recent) == n && len(l.byID) == n
	})
	limittest.Reach(t, "maxArea", maxArea, func(n int) bool {
		_, p := script(func(string, string) string { return "{}" }).open(t)
		_, err := p.shotParams(t.Context(), "S", ScreenshotOptions{Clip: &Box{Width: float64(n), Height: 1}})
		return err == nil
	})
	limittest.Reach(t, "maxQueuedBytes", maxQueuedBytes, func(n int) bool {
		q := newQueue()
		q.put(nil, n, true)
		q.put(nil, 1, true)
		return q.shed == 0
	})
	limittest.Reach(t, "maxQueuedBytes of all events", overrun*maxQueuedBytes-1, func(n int) bool {
		q := newQueue()
		q.put(nil, n, false)
		return q.put(nil, 1, false)
	})
	limittest.Reach(t, "maxScriptAnswer", maxScriptAnswer, func(n int) bool {
		answer := evaluated{}
		answer.Result.Value = []byte(`"` + strings.Repeat(" ", n-2) + `{}"`)
		_, err := readScriptAnswer(&answer)
		return err == nil
	})
	limittest.Reach(t, "maxTree", maxTree, func(n int) bool { return checkTree([]byte(x(n)), maxTree) == nil })
	limittest.Reach(t, "maxPixels", maxPixels, func(n int) bool { return reads(fmt.Sprint(n)) == pixels(n) && reads(fmt.Sprint(-n)) == pixels(-n) })
	limittest.Reach(t, "longest described value", 100, func(n int) bool {
		return Describe([]byte(`"`+x(n-2)+`"`)) != "string" && Describe([]byte(strings.Repeat("1", n))) != "number"
	})
	limittest.Reach(t, "MaxSnapshot", MaxSnapshot, func(n int) bool { return cutLines(x(n), MaxSnapshot) == x(n) })
	limittest.Reach(t, "MaxSearched", MaxSearched, func(n int) bool { return cutLines(x(n), MaxSearched) == x(n) })
}

func reads(number string) (n pixels) {
	_ = json.Unmarshal([]byte(number), &n)
	return n
}
