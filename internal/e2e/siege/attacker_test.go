package siege

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// bearer is the header with a token; none for "".
func bearer(token string) http.Header {
	h := make(http.Header)
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	return h
}

// attacker is who attacks. Its methods report no errors: what it does may be refused.
type attacker struct {
	*world
	token string

	mu    sync.Mutex // guards everything below
	conns []*line
}

func newAttacker(t testing.TB, w *world, scope string) *attacker {
	t.Helper()
	a := &attacker{world: w}
	if scope != "" {
		a.token = tokenOf(scope)
	}
	return a
}

// connect opens a further connection; nil when it is refused.
func (a *attacker) connect(ctx context.Context) *line {
	return a.connectTo(ctx, "/devtools/browser", a.token)
}

func (a *attacker) connectTo(ctx context.Context, path, token string) *line {
	l, err := dial(ctx, a.hub.ClientAddr, path, token)
	if err != nil {
		return nil
	}
	a.mu.Lock()
	a.conns = append(a.conns, l)
	a.mu.Unlock()
	return l
}

// leave ends all connections of the attacker, and closes the pages that it has left open.
func (a *attacker) leave() {
	a.mu.Lock()
	conns := a.conns
	a.conns = nil
	a.mu.Unlock()
	for _, l := range conns {
		l.close()
	}
	if a.setup == frames {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	l := a.connectTo(ctx, "/devtools/browser", tokenOf("full"))
	if l == nil {
		return
	}
	defer l.close()
	var list struct {
		TargetInfos []struct{ TargetID, URL, BrowserContextID string }
	}
	if json.Unmarshal(l.call(ctx, "", "Target.getTargets", nil), &list) != nil {
		return
	}
	for _, info := range list.TargetInfos {
		if info.URL != "about:blank" {
			l.call(ctx, "", "Target.closeTarget", object{"targetId": info.TargetID})
		}
	}
}

// page opens a page of the attacker, or takes its frame, and attaches to it. It returns an
// empty session if that is refused.
func (a *attacker) page(ctx context.Context, path string) (l *line, session string) {
	l = a.connect(ctx)
	var known struct{ TargetID, SessionID string }
	known.TargetID = a.attackersApp()
	if a.setup != frames {
		maker := l
		if a.token == tokenOf("readonly") { // which opens no pages, but finds some
			maker = a.connectTo(ctx, "/devtools/browser", tokenOf("standard"))
		}
		if json.Unmarshal(maker.call(ctx, "", "Target.createTarget", object{"url": a.site.URL + path}), &known) != nil {
			return l, ""
		}
	}
	if json.Unmarshal(l.call(ctx, "", "Target.attachToTarget", object{"targetId": known.TargetID, "flatten": true}), &known) != nil {
		return l, ""
	}
	return l, known.SessionID
}

// script has a page of the attacker run a script by itself, without a Client: the Client
// leaves as soon as the script has begun.
func (a *attacker) script(ctx context.Context, source string) {
	runner := &attacker{world: a.world, token: tokenOf("standard")}
	l, session := runner.page(ctx, "/script")
	l.send(ctx, session, "Runtime.evaluate", object{"expression": "setTimeout(() => {" + source + "}, 50)"})
	l.call(ctx, session, "Runtime.evaluate", object{"expression": "0"})
	l.close()
	<-ctx.Done()
}

// repeat calls f until ctx ends, or f reports false, most times at most.
func repeat(ctx context.Context, most int, f func(i int) bool) {
	for i := 0; i < most && ctx.Err() == nil && f(i); i++ {
	}
}

// request sends an HTTP request with the attacker's token, and reads the answer.
func (a *attacker) request(ctx context.Context, method, path, contentType string, body []byte) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+a.hub.ClientAddr+path, bytes.NewReader(body))
	if err != nil {
		return
	}
	req.Header = bearer(a.token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<20))
}

// many runs f n times at once.
func many(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// text of n bytes.
func text(n int) string { return strings.Repeat("x", n) }

// names are n different words.
func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("name-", i)
	}
	return list
}
