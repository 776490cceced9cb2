package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// told is something that a Host has said of a session.
type told struct {
	session, what string // a method, "opened" or "closed"
	params        string
}

// liveHub is as much of a hub as a Host with a real browser needs.
type liveHub struct {
	t testing.TB

	mu       sync.Mutex
	changed  chan struct{} // closed at each change, and made anew
	host     bridge.Host
	hosts    int // that have come
	gone     int
	calls    bridge.CallID
	results  map[bridge.CallID]string
	inFlight map[bridge.CallID]string // and the session of each
	told     []told
	known    map[string]targets.Info
	noFiles  bool // of the commands sent
}

func newLiveHub(t testing.TB) *liveHub {
	return &liveHub{
		t: t, changed: make(chan struct{}),
		results: make(map[bridge.CallID]string), inFlight: make(map[bridge.CallID]string), known: make(map[string]targets.Info),
	}
}

func (h *liveHub) change(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *liveHub) SetHost(host bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	h.change(func() {
		h.host = host
		h.hosts++
		clear(h.known)
		for _, t := range a.Targets {
			h.known[t.ID] = t
		}
	})
	return h, nil
}

func (h *liveHub) Reannounced(bridge.Announcement)               {}
func (h *liveHub) Event(string, string, []byte)                  {}
func (h *liveHub) PutScript(string, string) bool                 { return false }
func (h *liveHub) DownloadBegins(bridge.Download) bool           { return false }
func (h *liveHub) DownloadPart(string, []byte) bool              { return false }
func (h *liveHub) DownloadEnds(string, int64)                    {}
func (h *liveHub) DownloadFinished(string, bridge.Finished) bool { return true }
func (h *liveHub) TargetChanged(t targets.Info)                  { h.change(func() { h.known[t.ID] = t }) }

func (h *liveHub) TargetGone(id string)              { h.change(func() { delete(h.known, id) }) }
func (h *liveHub) TargetCreated(t targets.Info) bool { h.TargetChanged(t); return true }
func (h *liveHub) HostGone(bool)                     { h.change(func() { h.gone++ }) }
func (h *liveHub) SessionEvent(s, method string, p []byte) {
	h.tell(told{s, strings.Clone(method), string(p)})
}

func (h *liveHub) SessionsEvent(ids []string, method string, p []byte) {
	for _, id := range ids {
		h.SessionEvent(id, method, p)
	}
}
func (h *liveHub) Closed(s string) { h.tell(told{s, "closed", ""}) }

func (h *liveHub) Fail(s string, why *wire.Error) {
	h.change(func() {
		h.told = append(h.told, told{s, "fails", why.Message})
		for call, session := range h.inFlight {
			if session == s {
				h.results[call] = "error " + string(wire.AppendError(nil, why))
				delete(h.inFlight, call)
			}
		}
	})
}

func (h *liveHub) Opened(n bridge.Nested) bool {
	h.tell(told{n.Parent, "opened", n.SessionID + " " + n.Type + " " + n.TargetID})
	return true
}

func (h *liveHub) tell(t told) { h.change(func() { h.told = append(h.told, t) }) }

func (h *liveHub) Result(call bridge.CallID, _ string, result, cdpErr []byte) {
	h.change(func() {
		if cdpErr != nil {
			result = append([]byte("error "), cdpErr...)
		}
		h.results[call] = string(result)
		delete(h.inFlight, call)
	})
}

// await waits until is holds.
func (h *liveHub) await(what string, is func() bool) {
	h.t.Helper()
	timeout := time.After(patience)
	for {
		h.mu.Lock()
		ok, changed := is(), h.changed
		h.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			h.mu.Lock()
			defer h.mu.Unlock()
			h.t.Fatalf("still no %s; told: %+v", what, h.told)
		}
	}
}

// awaitEvent waits for an event of a session, whose params have all the parts.
func (h *liveHub) awaitEvent(session, method string, parts ...string) (found told) {
	h.t.Helper()
	h.await(session+" "+method+" "+strings.Join(parts, " "), func() bool {
		for _, e := range h.told {
			if e.session == session && e.what == method && containsAll(e.params, parts) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}

// hears reports whether a session got an event with a text in it.
func (h *liveHub) hears(session, part string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.told {
		if e.session == session && strings.Contains(e.params, part) {
			return true
		}
	}
	return false
}

func (h *liveHub) attach(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		h.host.(bridge.Announcer).Attached(bridge.Attachment{SessionID: id, NoFiles: h.noFiles})
	}
}

func (h *liveHub) release(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		h.host.Release(id, "")
	}
}

// answer sends a command and waits for its answer; "error …" if it is one.
func (h *liveHub) answer(session, method, params string) (result string) {
	h.t.Helper()
	call := h.send(session, method, params)
	h.await("answer to "+method, func() (ok bool) {
		result, ok = h.results[call]
		return ok
	})
	return result
}

// send sends a command. A refusal is its answer.
func (h *liveHub) send(session, method, params string) bridge.CallID {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	c := bridge.Command{Call: h.calls, SessionID: session, Method: method, NoFiles: h.noFiles}
	s := scope.Privileged
	if h.noFiles {
		s = scope.Full
	}
	var err error
	if why := s.Refuse(method); why != "" {
		err = wire.ServerError(why)
	} else if args, written, refused := s.Read(method, []byte(params)); refused != nil {
		err = refused
	} else {
		c.Args, c.Params = args, written
		err = h.host.Send(c)
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		h.results[c.Call] = "error " + string(wire.AppendError(nil, e))
	} else if err != nil {
		h.t.Fatalf("%s: %v", method, err)
	} else {
		h.inFlight[c.Call] = session
	}
	return c.Call
}

// call sends a command that must succeed, and returns a member of the result.
func (h *liveHub) call(session, method, params, member string) string {
	h.t.Helper()
	result := h.answer(session, method, params)
	var members map[string]any
	if err := json.Unmarshal([]byte(result), &members); err != nil {
		h.t.Fatalf("%s %s: %s", method, params, result)
	}
	if member == "" {
		return result
	}
	text, ok := members[member].(string)
	if !ok {
		h.t.Fatalf("%s has no %s: %s", method, member, result)
	}
	return text
}

// page opens a page, in a context unless that is "", and attaches to it.
func (h *liveHub) page(session, url, contextID string) (targetID, page string) {
	h.t.Helper()
	params := fmt.Sprintf(`{"url":%q}`, url)
	if contextID != "" {
		params = fmt.Sprintf(`{"url":%q,"browserContextId":%q}`, url, contextID)
	}
	targetID = h.call(session, "Target.createTarget", params, "targetId")
	return targetID, h.attachTo(session, targetID)
}

func (h *liveHub) attachTo(session, targetID string) string {
	h.t.Helper()
	return h.call(session, "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, targetID), "sessionId")
}

// eval evaluates an expression, whose value is text.
func (h *liveHub) eval(session, expression string) string {
	h.t.Helper()
	result := h.call(session, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q,"returnByValue":true,"awaitPromise":true}`, expression), "")
	var r struct{ Result struct{ Value any } }
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		h.t.Fatal(err)
	}
	return fmt.Sprint(r.Result.Value)
}

// evalUntil evaluates an expression until its value is that text.
func (h *liveHub) evalUntil(session, expression, want string) {
	h.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		result := h.answer(session, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q,"returnByValue":true}`, expression))
		if strings.Contains(result, fmt.Sprintf(`"value":%q`, want)) {
			return
		}
		if time.Now().After(end) {
			h.t.Fatalf("%s is %s, want %s", expression, result, want)
		}
	}
}

// serveLive runs a browser on a hub until the end of the test.
func serveLive(t testing.TB, run func(context.Context, Options, bridge.Hub) error, o Options) *liveHub {
	t.Helper()
	h := newLiveHub(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, o, h) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v, want %v", err, context.Canceled)
			}
		case <-time.After(patience):
			t.Error("it does not end")
		}
	})
	h.await("host", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("no browser: %v", err)
		default:
		}
		return h.hosts > 0
	})
	return h
}
