package actions

import (
	"context"
	"strings"
	"testing"
)

// sent is a Client that notes the params of what is sent.
type sent chan string

func (s sent) Send(_, _ string, params []byte) func(context.Context) ([]byte, error) {
	s <- string(params)
	return func(context.Context) ([]byte, error) { return []byte("{}"), nil }
}

func (sent) Leave() {}

// TestBackgroundWithoutParams wants params that a browser takes: it refuses
// null.
func TestBackgroundWithoutParams(t *testing.T) {
	out := make(sent, 1)
	b := &Browser{client: out}
	b.background("S", "Page.stopLoading", nil)
	b.loops.Wait()
	if got := <-out; got != "{}" {
		t.Errorf("params are %q, want {}", got)
	}
}

// TestPagesFillNoMemory has a page write, throw and ask for what is very long:
// many such are kept.
func TestPagesFillNoMemory(t *testing.T) {
	b := &Browser{shared: new(Shared), events: newQueue(), sessions: make(map[string]*Page), sinks: make(map[*Subscription]struct{})}
	p := newPage(b, "T", "page-1")
	b.sessions["S"] = p
	var texts []string
	b.sinks[&Subscription{kinds: ConsoleEvents | NetworkEvents, f: func(e Event) {
		switch body := e.Body.(type) {
		case ConsoleMessage:
			texts = append(texts, body.Text)
		case NetworkEvent:
			texts = append(texts, body.Request.URL)
		}
	}}] = struct{}{}
	long := strings.Repeat("x", 1<<20)
	for method, params := range map[string]string{
		"Runtime.consoleAPICalled":  `{"type":"log","args":[{"type":"string","value":"` + long + `"}]}`,
		"Runtime.exceptionThrown":   `{"exceptionDetails":{"text":"Uncaught","exception":{"type":"string","value":"` + long + `"}}}`,
		"Network.requestWillBeSent": `{"requestId":"1","request":{"url":"data:,` + long + `"}}`,
	} {
		handlers[method].do(b, "S", []byte(params))
	}
	for _, f := range b.events.list {
		f()
	}
	if len(texts) != 3 {
		t.Fatalf("%d events, want 3", len(texts))
	}
	for _, text := range texts {
		if len(text) > 17<<10 || !strings.HasSuffix(text, "…") {
			t.Errorf("%.20s… has %d bytes", text, len(text))
		}
	}
	if n := len(p.requests.recent[0].URL); n > 9<<10 {
		t.Errorf("a URL of %d bytes is kept", n)
	}
}
