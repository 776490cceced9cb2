package relay

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
)

// onlyPages is a Policy that allows what begins with "Page." and what attaches.
type onlyPages struct{ scope.Scope }

func (onlyPages) Refuse(method string) string {
	if strings.HasPrefix(method, "Page.") || method == "Target.attachToTarget" {
		return ""
	}
	return "Not allowed: " + method + " needs scope full"
}

func (onlyPages) Files() bool { return false }

// Read and Event are those of Clients that may do everything else.
func (onlyPages) Read(method string, params []byte) (wire.Object, []byte, *wire.Error) {
	return scope.Privileged.Read(method, params)
}

func (onlyPages) Event(_ string, params []byte) ([]byte, bool) { return params, true }

func (onlyPages) ReadOnly() bool { return false }

// everything handles every browser-level method and takes files.
type everything struct{ mute }

func (*everything) Handles(method string) bool { return !strings.HasPrefix(method, "Target.") }
func (*everything) TakesFiles() bool           { return true }

// TestR24PolicyIsAskedFirst wants nothing to be done for what is refused: no
// answer of the hub's own, no upload, no command to the Host, whichever way
// it would have gone.
func TestR24PolicyIsAskedFirst(t *testing.T) {
	uploads := 0
	n := 0
	h := newHub(t, Options{
		NewID:  func() string { n++; return fmt.Sprint("S", n) },
		Upload: func(p []byte, _ func(int64) error) ([]byte, error) { uploads++; return p, nil },
	})
	host := &everything{}
	setHost(h, host, list(1))
	p, page := &inbox{}, &inbox{}
	c, err := h.Join(p, onlyPages{})
	if err != nil {
		t.Fatal(err)
	}
	pc, err := h.JoinPage(page, onlyPages{}, "T0", func() {})
	if err != nil {
		t.Fatal(err)
	}
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`))
	got := p.take()
	_, id, _ := strings.Cut(got[len(got)-1], `"sessionId":"`)
	id, _, _ = strings.Cut(id, `"`)
	for _, tt := range []struct{ method, session string }{
		{"Runtime.evaluate", id},
		{"Runtime.evaluate", id}, // escaped below
		{"DOM.setFileInputFiles", id},
		{"Target.getTargets", ""},
		{"Browser.getVersion", id},
		{"Storage.getCookies", ""},
		{"Nope.nope", ""},
	} {
		tail := wire.End
		if tt.session != "" {
			tail = wire.SessionTail(tt.session)
		}
		c.Receive(append([]byte(`{"id":2,"method":"`+strings.Replace(tt.method, "ev", `\u0065v`, 1)+`"`), tail...))
		want := `{"id":2,"error":{"code":-32000,"message":"Not allowed: ` + tt.method + ` needs scope full"}` + string(tail)
		if got := p.take(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %s", tt.method, got, want)
		}
	}
	pc.Receive([]byte(`{"id":3,"method":"Runtime.evaluate"}`))
	if got := page.take(); len(got) != 1 || !strings.Contains(got[0], "Not allowed") {
		t.Errorf("on a page socket: got %q", got)
	}
	c.Receive([]byte(`{"id":4,"method":"Runtime.evaluate","sessionId":"none"}`))
	if got := p.take(); len(got) != 1 || !strings.Contains(got[0], "-32001") {
		t.Errorf("in no session: got %q, want -32001", got)
	}
	if host.commands != 0 || uploads != 0 {
		t.Errorf("%d commands reached the Host and %d uploads were read, want none", host.commands, uploads)
	}
	c.Receive([]byte(`{"id":5,"method":"Page.captureScreenshot","sessionId":"` + id + `"}`))
	if got := p.take(); len(got) != 0 || host.commands != 1 {
		t.Errorf("what is allowed: got %q, %d commands, want one at the Host", got, host.commands)
	}
}

// noting keeps the last command.
type noting struct {
	mute
	last bridge.Command
}

func (n *noting) Send(c bridge.Command) error { n.last = c; return nil }

func TestR24HostIsToldWhoMayHaveFiles(t *testing.T) {
	h := newHub(t, Options{})
	host := &noting{}
	setHost(h, host, list(1))
	for _, tt := range []struct {
		policy  Policy
		noFiles bool
	}{{nil, false}, {onlyPages{}, true}} {
		c, err := h.Join(&sink{}, tt.policy)
		if err != nil {
			t.Fatal(err)
		}
		c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		c.Receive(fmt.Appendf(nil, `{"id":2,"method":"Page.enable","sessionId":%q}`, onlySession(c)))
		if host.last.Method != "Page.enable" || host.last.NoFiles != tt.noFiles {
			t.Errorf("with the policy %v: %+v, want NoFiles to be %v", tt.policy, host.last, tt.noFiles)
		}
		c.Leave()
	}
}

// onlooker is a Policy that lets others answer dialogs.
type onlooker struct{ onlyPages }

func (onlooker) Refuse(method string) string {
	if method == answerDialog {
		return "Not allowed: " + method + " needs scope standard"
	}
	return onlyPages{}.Refuse(method)
}

// watcher is a Policy that might answer them, and does not.
type watcher struct{ onlyPages }

func (watcher) ReadOnly() bool { return true }

// TestR24DialogsAreNotKeptForOnlookers wants a dialog to be the browser's own
// where nobody looks on but Clients that may not answer it.
func TestR24DialogsAreNotKeptForOnlookers(t *testing.T) {
	h := newHub(t, Options{})
	setHost(h, &mute{}, list(1))
	watch := func(policy Policy) *Client {
		t.Helper()
		p := &inbox{}
		c, err := h.JoinPage(p, policy, "T0", func() {})
		if err != nil {
			t.Fatal(err)
		}
		c.Receive([]byte(`{"id":1,"method":"Page.enable"}`))
		return c
	}
	watch(onlooker{})
	watch(watcher{})
	h.mu.Lock()
	h.dialogs["T0"] = &targetDialogs{side: h.sides.list[0], key: "the key"}
	h.mu.Unlock()
	confirm := Dialog{TargetID: "T0", Key: "the key", Type: "confirm"}
	if a, err := h.Control().OpenDialog(t.Context(), confirm); err != nil || !a.Native {
		t.Errorf("with an onlooker alone: %+v, %v", a, err)
	}
	c := watch(nil)
	answered := make(chan DialogAnswer, 1)
	go func() {
		a, err := h.Control().OpenDialog(t.Context(), confirm)
		if err != nil {
			t.Error(err)
		}
		answered <- a
	}()
	open := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.dialogs["T0"].open != nil
	}
	for !open() {
		runtime.Gosched()
	}
	c.Leave() // the last who might have answered
	if a := <-answered; !a.Native {
		t.Errorf("with an onlooker left: %+v", a)
	}
}
