package chrome

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// fakeBrowser is a conn whose other end is the test.
type fakeBrowser struct {
	in   chan string
	gone chan struct{}

	bounds outbox // of what waits for sessions to attach

	mu   sync.Mutex
	sent []string
	full bool
	over error // why it takes nothing more; nil while it does
}

func newFakeBrowser() *fakeBrowser {
	return &fakeBrowser{in: make(chan string), gone: make(chan struct{})}
}

func (b *fakeBrowser) Offer(l *lane, f wire.Frame) error {
	b.mu.Lock()
	full := b.full
	b.mu.Unlock()
	if full {
		return errLaneFull
	}
	return b.OfferOwn(l, f)
}

func (b *fakeBrowser) OfferOwn(_ *lane, f wire.Frame) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over != nil {
		return errBehind
	}
	b.sent = append(b.sent, string(f.AppendTo(nil)))
	return nil
}

func (b *fakeBrowser) Hold(l *lane, n int) error { return b.bounds.Hold(l, n) }
func (b *fakeBrowser) Handled()                  {}
func (b *fakeBrowser) Join(l *lane, name string) { b.bounds.Join(l, name) }
func (b *fakeBrowser) Leave(l *lane)             { b.bounds.Leave(l) }

// text is all that the browser has been sent since the last look.
func (b *fakeBrowser) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.sent, "\n")
}

var errFakeGone = errors.New("the fake browser is gone")

func (b *fakeBrowser) Serve(to receiver) error {
	for {
		select {
		case m := <-b.in:
			buf := []byte(m)
			if cut := new(wire.Cut); strings.HasPrefix(m, "CUT ") {
				cut.Add(buf[len("CUT "):])
				to.receiveCut(cut)
				continue
			}
			to.receive(buf)
			for i := range buf {
				buf[i] = '#' // a test then sees whether somebody has kept it
			}
		case <-b.gone:
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.over
		}
	}
}

func (b *fakeBrowser) Close() {
	b.end(errClosed)
	select {
	case <-b.gone:
	default:
		close(b.gone)
	}
}

// end has it take nothing more. Nobody has noticed yet.
func (b *fakeBrowser) end(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over == nil {
		b.over = why
	}
}

// die ends it from the other side.
func (b *fakeBrowser) die() {
	b.end(errFakeGone)
	b.Close()
}

// fakeHub records the calls of a Host, a line each.
type fakeHub struct {
	mu     sync.Mutex // as a hub has one: held around the Host's methods and its events
	host   bridge.Host
	said   bridge.Announcement
	lines  []string
	refuse error
	calls  bridge.CallID

	noFiles  bool // of the commands sent
	readOnly bool // of the Clients that attach
	lasting  bool
	crowded  bool // the Client has too many sessions
	tabs     *targets.Tabs

	finished     []string // downloads
	keepsNothing bool     // of them
}

func (h *fakeHub) SetHost(host bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse != nil {
		return nil, h.refuse
	}
	h.host, h.said = host, a
	h.lines = append(h.lines, "host")
	return h, nil
}

func (h *fakeHub) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

func (h *fakeHub) Reannounced(bridge.Announcement) { h.note("reannounced") }
func (h *fakeHub) TargetCreated(t targets.Info) bool {
	if t.Owner != "" {
		t.Type += " of " + t.Owner
	}
	h.note("created %s %s", t.ID, t.Type)
	return true
}

func (h *fakeHub) TargetChanged(t targets.Info) {
	if t.Unresponsive {
		t.Title += "unresponsive"
	}
	h.note("changed %s %s", t.ID, t.Title)
}
func (h *fakeHub) TargetGone(id string)                { h.note("gone %s", id) }
func (h *fakeHub) Event(id, method string, _ []byte)   { h.note("event for all of %s: %s", id, method) }
func (h *fakeHub) PutScript(string, string) bool       { return false }
func (h *fakeHub) DownloadBegins(bridge.Download) bool { return false }
func (h *fakeHub) DownloadPart(string, []byte) bool    { return false }
func (h *fakeHub) DownloadEnds(string, int64)          {}
func (h *fakeHub) DownloadFinished(id string, d bridge.Finished) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.finished = append(h.finished, fmt.Sprintf("%s %s %s %q %v", id, d.GUID, d.TargetID, d.Why, d.Mute))
	return !h.keepsNothing
}
func (h *fakeHub) HostGone(mayReturn bool)             { h.note("host gone %v", mayReturn) }
func (h *fakeHub) Closed(id string)                    { h.note("closed %s", id) }
func (h *fakeHub) Fail(id string, why *wire.Error)     { h.note("%s fails: %s", id, why.Message) }
func (h *fakeHub) SessionEvent(id, m string, p []byte) { h.note("%s < %s %s", id, m, p) }

func (h *fakeHub) SessionsEvent(ids []string, m string, p []byte) {
	for _, id := range ids {
		h.SessionEvent(id, m, p)
	}
}

func (h *fakeHub) Opened(n bridge.Nested) bool {
	if h.crowded {
		return false
	}
	h.note("opened %s in %s: %s %s", n.SessionID, n.Parent, n.Type, n.TargetID)
	return true
}

func (h *fakeHub) Result(call bridge.CallID, id string, result, cdpErr []byte) {
	if cdpErr != nil {
		h.note("%s %d error %s", id, call, cdpErr)
		if result != nil {
			h.note("and a result")
		}
		return
	}
	h.note("%s %d %s", id, call, result)
}

func (h *fakeHub) attach(id, target string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.host.(bridge.Announcer).Attached(bridge.Attachment{SessionID: id, TargetID: target, NoFiles: h.noFiles, ReadOnly: h.readOnly, Lasting: h.lasting, Tabs: h.tabs})
}

func (h *fakeHub) inherit(from, to string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.host.(bridge.Inheritance).Inherit(from, to)
}

// attachOf is attach for a Client that sees what is private to the owner of a target.
func (h *fakeHub) attachOf(id, target string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.host.(bridge.Announcer).Attached(bridge.Attachment{SessionID: id, PrivateOf: target})
}

func (h *fakeHub) release(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.host.Release(id, "")
}

// send has the Host send a command; its params are overwritten at once.
func (h *fakeHub) send(session, method, params string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	c, err := h.command(session, method, params)
	if err != nil {
		return err
	}
	sent := h.host.Send(c)
	for i := range c.Params {
		c.Params[i] = '#'
	}
	return sent
}

// command is a command as the hub hands it on, or its refusal.
func (h *fakeHub) command(session, method, params string) (bridge.Command, error) {
	s := scope.Privileged
	if h.noFiles {
		s = scope.Full
	}
	if why := s.Refuse(method); why != "" {
		return bridge.Command{}, wire.ServerError(why)
	}
	var in []byte
	if params != "" {
		in = []byte(params)
	}
	args, written, err := s.Read(method, in)
	if err != nil {
		return bridge.Command{}, err
	}
	return bridge.Command{Call: h.calls, SessionID: session, Method: method, Params: written, Args: args, NoFiles: h.noFiles}, nil
}

// rig is a Host between a fake browser and a fake hub. It lives in a synctest
// bubble.
type rig struct {
	*testing.T
	browser *fakeBrowser
	hub     *fakeHub
	cancel  context.CancelFunc
	ended   chan error
}

// newRig starts a Host, which has not entered the hub yet.
func newRig(t *testing.T, o Options) *rig {
	b := newFakeBrowser()
	return newRigOf(t, o, b, b)
}

// newRigOf is newRig for a browser that is more than a fake one.
func newRigOf(t *testing.T, o Options, c conn, fake *fakeBrowser) *rig {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // wantsNothingLeft needs it after the end
	r := &rig{T: t, browser: fake, hub: &fakeHub{}, cancel: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- serveHost(ctx, c, &o, r.hub) }()
	synctest.Wait()
	t.Cleanup(func() {
		r.wantsNothingLeft()
		cancel()
		synctest.Wait()
	})
	return r
}

// wantsNothingLeft ends all sessions, answers the Host's own commands with errors, and ends all
// targets. Then a Host that goes on must hold nothing.
func (r *rig) wantsNothingLeft() {
	host, is := r.hub.host.(*Host)
	if !is || r.browser.isOver() {
		return
	}
	host.mu.Lock()
	sessions := slices.Collect(maps.Keys(host.sessions))
	host.mu.Unlock()
	for _, id := range sessions {
		r.hub.release(id)
	}
	r.hears(host.answers)
	for id := range maps.Clone(host.contexts) {
		if !host.endsLocked(id) {
			host.unregisterContext(id) // it stays in a browser that others use, too
		}
	}
	host.downloads.forget("") // the default context stays
	left := host.Held()
	for _, ofBrowser := range []string{"targets", "looks at pages", "groups of clients", "downloads", "pages that hang", "tabs that are probed"} {
		delete(left, ofBrowser)
	}
	heldtest.WantsNothing(r, "without sessions, the Host", left)
	r.hears(host.endings)
	heldtest.WantsNothing(r, "the Host", host.Held())
	heldtest.WantsNothing(r, "what waits", held.Of(&r.browser.bounds))
}

// hears has the Host hear what there is to hear. An answer may lead to another command.
func (r *rig) hears(messages func() []string) {
	for range 10 {
		for _, m := range messages() {
			select {
			case r.browser.in <- m:
			case <-r.browser.gone:
			}
			synctest.Wait()
		}
	}
}

// answers are errors for all commands of the Host.
func (h *Host) answers() (list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n, a := range h.onAnswers {
		tail := ""
		if a.session != nil && n > 0 {
			tail = `,"sessionId":"` + a.session.upstream + `"`
		}
		list = append(list, fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"over"}%s}`, n, tail))
	}
	return list
}

// endings are messages of a browser that ends everything.
func (h *Host) endings() []string {
	list := h.answers()
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.downloads.running {
		list = append(list, `{"method":"Browser.downloadProgress","params":{"guid":"`+id+`","state":"canceled"}}`)
	}
	ends := slices.Collect(maps.Keys(h.targets))
	for tabs := range h.groups {
		ends = slices.AppendSeq(ends, maps.Keys(tabs.Entries())) // some were in answers alone
	}
	for _, id := range ends {
		list = append(list, `{"method":"Target.targetDestroyed","params":{"targetId":"`+id+`"}}`)
	}
	return list
}

// isOver reports whether the browser has ended.
func (b *fakeBrowser) isOver() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over != nil
}

// greeted starts a Host and lets it enter the hub. The default context is D.
func greeted(t *testing.T, o Options) *rig {
	b := newFakeBrowser()
	return greetedBy(t, o, b, b)
}

// greetedBy is greeted for a browser that is more than a fake one.
func greetedBy(t *testing.T, o Options, c conn, fake *fakeBrowser) *rig {
	r := newRigOf(t, o, c, fake)
	r.says(
		`{"id":-1,"result":{"product":"Chrome/1","userAgent":"UA"}}`,
		`{"id":-2,"result":{"browserContextIds":[],"defaultBrowserContextId":"D"}}`,
		`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"T0","type":"page","browserContextId":"D"}}}`,
		`{"id":-4,"result":{}}`,
	)
	r.forget()
	return r
}

// clients lets Clients enter, whose sessions in the browser are the same in
// capitals.
func (r *rig) clients(ids ...string) {
	for _, id := range ids {
		r.hub.attach(id, "")
		n := r.numberOf("Target.attachToBrowserTarget")
		r.says(fmt.Sprintf(`{"id":%s,"result":{"sessionId":%q}}`, n, strings.ToUpper(id)))
	}
	r.forget()
}

// says has the browser say things, and waits until they have been acted on.
func (r *rig) says(messages ...string) {
	for _, m := range messages {
		r.browser.in <- m
		synctest.Wait()
	}
}

// numberOf is the number of the last command of that method in the browser.
func (r *rig) numberOf(method string) string {
	r.Helper()
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	for _, m := range slices.Backward(r.browser.sent) {
		if rest, ok := strings.CutPrefix(m, `{"id":`); ok && strings.Contains(m, `"method":"`+method+`"`) {
			n, _, _ := strings.Cut(rest, ",")
			return n
		}
	}
	r.Fatalf("the browser has not been sent %s but %q", method, r.browser.sent)
	return ""
}

// forget drops the records of the browser and the hub.
func (r *rig) forget() {
	r.browser.mu.Lock()
	r.browser.sent = nil
	r.browser.mu.Unlock()
	r.hub.mu.Lock()
	r.hub.lines = nil
	r.hub.mu.Unlock()
}

// wantSent compares what the browser has been sent since the last look.
func (r *rig) wantSent(want ...string) {
	r.Helper()
	synctest.Wait()
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	if !slices.Equal(r.browser.sent, want) {
		r.Errorf("the browser was sent\n\t%s\nwant\n\t%s", strings.Join(r.browser.sent, "\n\t"), strings.Join(want, "\n\t"))
	}
	r.browser.sent = nil
}

// wantTold compares the hub's records since the last call.
func (r *rig) wantTold(want ...string) {
	r.Helper()
	synctest.Wait()
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if !slices.Equal(r.hub.lines, want) {
		r.Errorf("the hub was told\n\t%s\nwant\n\t%s", strings.Join(r.hub.lines, "\n\t"), strings.Join(want, "\n\t"))
	}
	r.hub.lines = nil
}

// must sends a command that the Host takes.
func (r *rig) must(session, method, params string) {
	r.Helper()
	if err := r.hub.send(session, method, params); err != nil {
		r.Errorf("Send(%s) = %v", method, err)
	}
}

// refuses sends a command that the Host answers with an error, which reads
// "code message".
func (r *rig) refuses(session, method, params, want string) {
	r.Helper()
	err := r.hub.send(session, method, params)
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		r.Errorf("Send(%s %s) = %v, want the error %s", method, params, err, want)
		return
	}
	if got := fmt.Sprint(e.Code, " ", e.Message); !strings.HasPrefix(got, want) {
		r.Errorf("Send(%s %s) = %s, want %s", method, params, got, want)
	}
}
