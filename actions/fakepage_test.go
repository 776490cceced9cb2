package actions

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// fakePage is a Client with one page, which answers whatever the test says. As the hub it
// sends valid JSON of at most wire.MaxDepth levels alone.
type fakePage struct {
	mu      sync.Mutex
	event   EventFunc
	answers map[string]string // by method, in the place of usualAnswers
	script  string            // what a call of the page script answers, in the place of usualScript
	said    int               // bytes of all answers and events
	asked   int               // commands
	takes   time.Duration     // for an answer; 1 ms
}

// pngOfAPixel is a picture.
var pngOfAPixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

// usualAnswers are answers as those of a browser.
var usualAnswers = map[string]string{
	"Target.attachToTarget":         `{"sessionId":"S"}`,
	"Target.createTarget":           `{"targetId":"T"}`,
	"Target.createBrowserContext":   `{"browserContextId":"C"}`,
	"Target.getTargets":             `{"targetInfos":[{"targetId":"T","type":"page","title":"A","url":"https://a.example/"}]}`,
	"Browser.getVersion":            `{"product":"Chrome/156.0","revision":"@1"}`,
	"Page.getFrameTree":             `{"frameTree":{"frame":{"id":"F","loaderId":"L","url":"https://a.example/"},"childFrames":[{"frame":{"id":"G","parentId":"F","url":"https://b.example/"}}]}}`,
	"Page.createIsolatedWorld":      `{"executionContextId":1}`,
	"Page.getLayoutMetrics":         `{"cssVisualViewport":{"pageX":0,"pageY":0,"clientWidth":800,"clientHeight":600},"cssContentSize":{"width":800,"height":900}}`,
	"Page.getNavigationHistory":     `{"currentIndex":1,"entries":[{"id":1},{"id":2}]}`,
	"Page.navigate":                 `{"loaderId":"L2"}`,
	"Page.captureScreenshot":        `{"data":"` + base64.StdEncoding.EncodeToString(pngOfAPixel) + `"}`,
	"Page.printToPDF":               `{"data":"JVBERi0="}`,
	"Runtime.evaluate":              `{"result":{"type":"object","objectId":"O"}}`,
	"Runtime.getProperties":         `{"result":[{"name":"0","value":{"subtype":"node","objectId":"O"}}]}`,
	"DOM.describeNode":              `{"node":{"backendNodeId":5,"frameId":"G","children":[{"backendNodeId":6,"shadowRoots":[{"backendNodeId":7,"shadowRootType":"closed"}]}]}}`,
	"DOM.resolveNode":               `{"object":{"objectId":"O"}}`,
	"DOM.getFrameOwner":             `{"backendNodeId":5}`,
	"DOM.getBoxModel":               `{"model":{"content":[1,2,3,2,3,4,1,4]}}`,
	"Accessibility.getFullAXTree":   `{"nodes":[{"nodeId":"1","role":{"type":"role","value":"RootWebArea"},"name":{"type":"computedString","value":"A"},"childIds":["2"],"backendDOMNodeId":5},{"nodeId":"2","role":{"type":"role","value":"textbox"},"value":{"type":"string","value":"x"},"backendDOMNodeId":6}]}`,
	"Network.getCookies":            `{"cookies":[{"name":"a","value":"b"}]}`,
	"Storage.getCookies":            `{"cookies":[{"name":"a","value":"b"}]}`,
	"Network.getResponseBody":       `{"body":"hi","base64Encoded":false}`,
	"Network.getRequestPostData":    `{"postData":"a=b"}`,
	"CdpHub.handoff":                `{"handoffId":"H","url":"https://hub.example/h","expires":1}`,
	"Input.dispatchMouseEvent":      `{}`,
	"Runtime.callFunctionOn/value":  `{"result":{"type":"boolean","value":true}}`,
	"Runtime.callFunctionOn/object": `{"result":{"type":"object","objectId":"O"}}`,
}

// usualScript are answers of the page script, by verb.
var usualScript = map[string]string{
	"yaml":     `{"text":"- main:\n  - iframe [ref=e1]","count":2,"title":"A","url":"https://a.example/","holes":[{"handle":"h1","line":1,"above":"f1"}]}`,
	"point":    `{"x":10,"y":20}`,
	"box":      `{"x":1,"y":2,"width":30,"height":40}`,
	"boxes":    `[{"x":1,"y":2,"width":30,"height":40}]`,
	"depth":    `0`,
	"secrets":  `["hunter2"]`,
	"metrics":  `{"width":800,"height":600,"scale":1}`,
	"checked":  `true`,
	"choose":   `["a"]`,
	"storage":  `{"origin":"https://a.example","localStorage":[{"name":"a","value":"b"}]}`,
	"elements": `{"page_title":"A","elements":[{"role":"button","children":[{"role":"note"}]}]}`,
	"wait":     `{"handle":"h1","id":"a1"}`,
}

// methodOf tells the calls of Runtime.callFunctionOn apart.
func methodOf(method string, params []byte) string {
	switch text := string(params); {
	case method != "Runtime.callFunctionOn":
		return method
	case strings.Contains(text, "this.run("):
		return "script"
	case strings.Contains(text, "this.element(") || strings.Contains(text, "this.secretElements("):
		return "Runtime.callFunctionOn/object"
	}
	return "Runtime.callFunctionOn/value"
}

func (f *fakePage) Send(_, method string, params []byte) func(context.Context) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	kind := methodOf(method, params)
	answer, changed := f.answers[kind]
	switch {
	case changed:
	case kind == "script":
		answer = f.scriptLocked(string(params))
	default:
		if answer = usualAnswers[kind]; answer == "" {
			answer = "{}"
		}
	}
	f.said += len(answer)
	takes := cmp.Or(f.takes, time.Millisecond)
	switch method {
	case "Target.setDiscoverTargets":
		f.event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T","type":"page","title":"A","url":"https://a.example/"}}`))
	case "Page.navigate", "Page.reload", "Page.navigateToHistoryEntry":
		f.event("S", "Page.frameNavigated", []byte(`{"frame":{"id":"F","loaderId":"L2","url":"https://a.example/b"}}`))
		f.event("S", "Page.lifecycleEvent", []byte(`{"frameId":"F","loaderId":"L2","name":"load"}`))
	}
	return func(ctx context.Context) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		select { // a page takes some time
		case <-time.After(takes):
			return []byte(answer), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// takeSaid is how many bytes of answers there were since the last call. The actions ask in
// the background, too.
func (f *fakePage) takeSaid() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, f.said = f.said, 0
	return n
}

func (f *fakePage) scriptLocked(params string) string {
	if f.script != "" {
		return f.script
	}
	for verb, answer := range usualScript {
		if strings.Contains(params, `{"value":"`+verb+`"}`) {
			return scriptSays(`{"ok":` + answer + `}`)
		}
	}
	return scriptSays(`{"ok":null}`)
}

// scriptSays is the result of a call of the page script that comes to a text.
func scriptSays(text string) string {
	return `{"result":{"type":"string","value":` + string(wire.AppendString(nil, text)) + `}}`
}

func (f *fakePage) Leave() {}

// tell sends an event.
func (f *fakePage) tell(sessionID, method, params string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said += len(params)
	f.event(sessionID, method, []byte(params))
}

// says has the page answer a method, or its script, with a text from now on.
func (f *fakePage) says(method, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers, f.script = nil, ""
	switch {
	case method == "script":
		f.script = scriptSays(text)
	case method != "":
		f.answers = map[string]string{method: text}
	}
}

// openFake opens a Browser on a fake page, which is a tab, or a frame with an agent.
func openFake(ctx context.Context, kind TargetKind) (*fakePage, *Browser, *Page, error) {
	f := new(fakePage)
	if kind == FrameTarget {
		f.says("Browser.getVersion", `{"revision":"`+targets.EmulatedRevision+`"}`)
	}
	b, err := Open(ctx, func(event EventFunc) (Client, error) { f.event = event; return f, nil }, Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	p, err := b.Page("")
	if err == nil {
		_, err = p.Kind(ctx)
	}
	return f, b, p, err
}
