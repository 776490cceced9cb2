package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR296Limits goes to what the proxy remembers of the documents behind it.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxTargets", maxTargets, func(n int) bool {
		c := newAgentRegistry(zap.NewNop())
		for i := range n {
			c.registerLocked(new(wsconn.Conn), targetState{Target: fmt.Sprint(i)})
		}
		return len(c.targets) == n
	})
	limittest.Reach(t, "maxOwners", maxOwners, func(n int) bool {
		c := newAgentRegistry(zap.NewNop())
		for i := range n {
			c.recordOwnerLocked(fmt.Sprint(i), resourceOwner{})
		}
		return len(c.owners) == n
	})
	limittest.Reach(t, "maxBacklog", maxBacklog, func(n int) bool {
		h := &pausedRequest{agents: newAgentRegistry(zap.NewNop()), target: new(agentTarget)}
		for range n {
			h.notify(agentEvent{})
		}
		return len(h.target.backlog) == n
	})
	limittest.Reach(t, "maxWorkers", maxWorkers, func(n int) bool {
		p := handler{workers: map[string]bool{}}
		for i := range n {
			p.rememberWorker(fmt.Sprint(i))
		}
		return len(p.workers) == n
	})
	limittest.Reach(t, "maxHops", maxHops, func(n int) bool {
		c := redirectChains{byTo: map[string]redirectChain{}}
		c.add(make([]hop, n-1), hop{URL: "http://a.test/", Headers: map[string]string{"location": "/b"}})
		return len(c.take("http://a.test/b")) == n
	})
	limittest.Reach(t, "maxChains", maxChains, func(n int) bool {
		c := redirectChains{byTo: map[string]redirectChain{}}
		for i := range n {
			c.add(nil, hop{URL: "http://a.test/", Headers: map[string]string{"location": fmt.Sprint(i)}})
		}
		return len(c.byTo) == n
	})
	limittest.Reach(t, "maxResponseBody", maxResponseBody, func(n int) bool {
		res := &http.Response{Body: io.NopCloser(strings.NewReader(strings.Repeat("x", n)))}
		seen := readBody(res)
		if all, err := io.ReadAll(res.Body); err != nil || len(all) != n {
			t.Errorf("of %d bytes the browser gets %d: %v", n, len(all), err)
		}
		return len(seen) == n
	})
	limittest.Reach(t, "maxPaused", maxPaused, func(n int) bool {
		h := handler{agents: newAgentRegistry(zap.NewNop())}
		state := targetState{Target: "T", Hold: true, Addresses: []string{"http://a.test/"}}
		h.agents.registerLocked(new(wsconn.Conn), state)
		for i := range n - 1 {
			h.agents.paused[fmt.Sprint(i)] = new(pausedRequest)
		}
		r := httptest.NewRequest(http.MethodGet, "http://a.test/i.png", http.NoBody)
		r.Header = http.Header{"Referer": {"http://a.test/"}, "Sec-Fetch-Dest": {"image"}}
		// One beyond the limit is announced, but it does not wait for a decision.
		paused := h.intercept(r, &exchange{own: origin{"http", "a.test"}, uri: "/i.png"})
		return paused != nil && paused.waits
	})
	limittest.Reach(t, "maxBody", maxBody, func(n int) bool { return keptBodies(t, n) == 1 })
	limittest.Reach(t, "maxBodies", maxBodies, func(n int) bool {
		const half = maxBody / 2 // the last two are not too long by themselves
		return keptBodies(t, maxBody, maxBody, maxBody, maxBody, half, n-4*maxBody-half) == 6
	})
	limittest.Reach(t, "maxChains of bodies", maxChains, func(n int) bool { return keptBodies(t, make([]int, n)...) == n })
	limittest.Reach(t, "maxRequestBody", maxRequestBody, func(n int) bool {
		h := &pausedRequest{agents: newAgentRegistry(zap.NewNop()), target: new(agentTarget)}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", n)))
		h.pauseRequest(r, new(exchange))
		if all, err := io.ReadAll(r.Body); err != nil || len(all) != n {
			t.Errorf("of %d bytes the app gets %d: %v", n, len(all), err)
		}
		return len(h.target.backlog[0].Body) == n
	})
}

// keptBodies reads bodies of these sizes, and counts those that the cache has afterwards, whose
// bytes it must have counted.
func keptBodies(t *testing.T, sizes ...int) (kept int) {
	t.Helper()
	cache := bodyCache{byKey: map[string]*cachedBody{}}
	for _, size := range sizes {
		body, _ := cache.add(io.NopCloser(strings.NewReader(strings.Repeat("x", size))), "")
		if _, err := io.Copy(io.Discard, body); err != nil {
			t.Fatal(err)
		}
	}
	size := 0
	for _, k := range cache.byKey {
		size += k.text.Len()
		if !k.discarded {
			kept++
		}
	}
	if cache.size != size || cache.order.Len() != len(cache.byKey) {
		t.Errorf("%d bodies of %d bytes count as %d of %d", len(cache.byKey), size, cache.order.Len(), cache.size)
	}
	return kept
}

// TestBodiesThatAreCutOffAreNotKept wants no part of a body to pass for the whole.
func TestBodiesThatAreCutOffAreNotKept(t *testing.T) {
	for name, tt := range map[string]struct {
		rest   io.Reader
		reads  int64
		status int
	}{
		"whole":           {strings.NewReader("rest"), 100, http.StatusOK},
		"the app is gone": {iotest.ErrReader(io.ErrUnexpectedEOF), 100, http.StatusNotFound},
		"browser is gone": {strings.NewReader("rest"), 2, http.StatusNotFound},
	} {
		cache := bodyCache{byKey: map[string]*cachedBody{}}
		body, key := cache.add(io.NopCloser(io.MultiReader(strings.NewReader("part"), tt.rest)), "")
		_, _ = io.Copy(io.Discard, io.LimitReader(body, tt.reads)) // the body is what counts
		body.Close()
		got := httptest.NewRecorder()
		cache.ServeHTTP(got, httptest.NewRequest(http.MethodGet, strings.TrimSuffix(prefix, "/")+bodyPath+key, http.NoBody))
		if got.Code != tt.status {
			t.Errorf("%s: %d %q, want %d", name, got.Code, got.Body, tt.status)
		}
	}
}
