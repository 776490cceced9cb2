package relay

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/waittest"
)

// interruptions are what can happen to a hub while something waits in it. That its token is
// revoked ends the connection of a Client (internal/auth), as if it had left.
var interruptions = map[string]func(r *interrupted){
	"nothing":         func(*interrupted) {},
	"Client leaves":   func(r *interrupted) { r.client.Leave(); r.local.Leave(); r.left = true },
	"caller gives up": func(r *interrupted) { r.cancel() },
	"session ends":    func(r *interrupted) { r.atBrowser("Target.detachFromTarget", `{"sessionId":"`+r.session+`"}`) },
	"tab taken away":  func(r *interrupted) { r.hub.Control().Revoke("T0", r.client.name) },
	"Host lost":       func(r *interrupted) { r.events.HostGone(true) },
	"Host replaced":   func(r *interrupted) { r.events = setHost(r.hub, &keyHost{}, list(1)) },
	"Host returns":    func(r *interrupted) { r.events.HostGone(true); r.setHost(&keyHost{}) },
	"target gone":     func(r *interrupted) { r.events.TargetGone("T0") },
	"lease taken":     func(r *interrupted) { r.bob.Take("T0", "Bob", LeaseOptions{Quiet: true, Idle: time.Hour}) },
	"lease given up":  func(r *interrupted) { r.ann.Release("T0") },
	"lease passes on": (*interrupted).passOn,
	"hub drains":      func(r *interrupted) { r.hub.Drain() },
	"no browser":      func(r *interrupted) { r.over(); r.over = func() {} },
}

// interrupted is a hub with a Client that has tabs of its own, in two connections, a Host that
// answers nothing, and two people.
type interrupted struct {
	t              *testing.T
	hub            *Hub
	host           *keyHost
	events         bridge.Events
	client         *Client
	inbox          *inbox
	local          *Local
	ann, bob       *Local
	ctx            context.Context
	cancel         func()
	over           func() // see ExpectBrowser
	left           bool
	goOn           chan struct{} // closed when files are written
	sent           atomic.Int32
	taken, ended   int // leases
	outcome        string
	session, inner string // of client, and of local
}

// keyHost is a Host that notes the key of dialogs, and the last command.
type keyHost struct {
	mute
	key, session string
	last         bridge.CallID
}

func (k *keyHost) Attached(a bridge.Attachment) { k.key = a.DialogKey }
func (k *keyHost) Handles(method string) bool   { return method == "Target.createTarget" }
func (k *keyHost) Send(c bridge.Command) error {
	k.last, k.session = c.Call, strings.Clone(c.SessionID)
	return nil
}
func (k *keyHost) AsksHub() bool { return true }
func (r *interrupted) lease(wait time.Duration) LeaseOptions {
	r.taken++
	return LeaseOptions{Key: "ann", Wait: wait, Idle: time.Hour, Ended: func(LeaseEnd) { r.ended++ }}
}

func newInterrupted(t *testing.T) *interrupted {
	n := 0
	r := &interrupted{t: t, host: &keyHost{}, inbox: &inbox{}, goOn: make(chan struct{}), over: func() {}}
	r.hub = newHub(t, Options{
		Grace:      20 * time.Second,
		NewID:      func() string { n++; return fmt.Sprint("S", n) },
		HandoffURL: func(string, string) string { return "https://hub.example/h" },
		Download:   saving(func(string, string, []byte) error { <-r.goOn; return nil }),
	})
	r.ctx, r.cancel = context.WithCancel(t.Context())
	r.setHost(r.host)
	admit := ClientOptions{Name: "agent", Policy: OwnTabs{allowAll, "me"}}
	var errs [4]error
	r.client, errs[0] = r.hub.Admit(admit)
	r.client.Connect(r.inbox)
	r.local, errs[1] = r.hub.JoinLocal(LocalOptions{ClientOptions: ClientOptions{Policy: OwnTabs{allowAll, "me"}}})
	r.ann, errs[2] = r.hub.JoinLocal(LocalOptions{})
	r.bob, errs[3] = r.hub.JoinLocal(LocalOptions{})
	r.client.tabs().Give("T0")
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.send("Target.attachToTarget", `{"targetId":"T0","flatten":true}`)
	r.session = onlySession(r.client)
	if _, err := r.local.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T0","flatten":true}`)); err != nil {
		t.Fatal(err)
	}
	r.inner = onlySession(r.local.client)
	return r
}

// setHost connects a Host that may come back.
func (r *interrupted) setHost(host bridge.Host) {
	var err error
	if r.events, err = r.hub.SetHost(host, bridge.Announcement{HostID: "H", Targets: list(1)}); err != nil {
		r.t.Error(err)
	}
}

// send sends a command of the Client, in its session if it has one.
func (r *interrupted) send(method, params string) {
	r.sendIn(r.session, method, params)
}

func (r *interrupted) sendIn(session, method, params string) {
	in := ""
	if session != "" {
		in = `,"sessionId":"` + session + `"`
	}
	r.client.Receive(fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s%s}`, r.sent.Add(1), method, params, in))
}

// atBrowser sends a command at browser level.
func (r *interrupted) atBrowser(method, params string) {
	r.sendIn("", method, params)
}

// count counts the Client's messages with a text.
func (r *interrupted) count(text string) (n int) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	for _, m := range r.inbox.got {
		if strings.Contains(m, text) {
			n++
		}
	}
	return n
}

// waitingOp is an operation that waits. begin runs in a goroutine of its own. end is what has
// become of it after two minutes, where begin does not say so itself.
type waitingOp struct {
	begin func(r *interrupted)
	end   func(r *interrupted) string
	heeds bool              // it ends with its context
	async bool              // a timer, an answer or a lock wakes it: no goroutine waits
	want  map[string]string // by interruption; "" is for all others
}

// waitingOps are by the function that waits.
var waitingOps = map[string]waitingOp{
	"relay.download.end": {
		begin: func(r *interrupted) {
			r.atBrowser("Target.attachToBrowserTarget", "{}")
			r.session = text(r.inbox.got[len(r.inbox.got)-1], `"sessionId":"`)
			r.send("Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/in","eventsEnabled":true}`)
			r.events.Event("T0", downloadProgress, []byte(`{"guid":"G","state":"completed","contents":"aGk="}`))
		},
		end:  func(r *interrupted) string { return fmt.Sprint(r.count(downloadProgress)) },
		want: map[string]string{"": "1", "Client leaves": "0", "session ends": "0", "tab taken away": "0", "Host replaced": "0", "target gone": "0"},
	},
	"relay.Control.OpenDialog": {
		heeds: true,
		begin: func(r *interrupted) {
			r.send("Page.enable", "{}")
			a, err := r.hub.Control().OpenDialog(r.ctx, Dialog{TargetID: "T0", Key: r.host.key, Type: "confirm"})
			r.outcome = fmt.Sprint(a, err)
		},
		want: map[string]string{"": "{false false } <nil>", "Client leaves": "{true false } <nil>", "session ends": "{true false } <nil>", "tab taken away": "{true false } <nil>", "Host lost": "{true false } <nil>", "Host replaced": "{true false } <nil>", "target gone": "{true false } <nil>"},
	},
	"relay.Local.MayAct": {
		heeds: true,
		begin: func(r *interrupted) {
			r.take(time.Minute)
			r.outcome = fmt.Sprint(r.local.MayAct(r.ctx, "T0"))
		},
		want: map[string]string{"": "paused: Ann has the page", "Host lost": "<nil>", "target gone": "<nil>", "Host replaced": "<nil>", "lease given up": "<nil>", "hub drains": "<nil>", "lease passes on": "paused: Bob has the page"},
	},
	"relay.waitingCommands.keep": {
		async: true,
		begin: func(r *interrupted) { r.take(time.Minute); r.send("Input.dispatchMouseEvent", "{}") },
		end:   func(r *interrupted) string { return fmt.Sprint(r.count("paused: Ann")) },
		want:  map[string]string{"": "0", "nothing": "1", "caller gives up": "1", "lease taken": "1", "session ends": "1", "tab taken away": "1", "Host returns": "1", "no browser": "1"},
	},
	"relay.Local.Send": {
		heeds: true,
		begin: func(r *interrupted) {
			_, err := r.local.Call(r.ctx, r.inner, "Runtime.evaluate", nil)
			r.outcome = fmt.Sprint(err)
		},
		want: map[string]string{
			"": "<nil>", "Client leaves": errLeft.Message, "caller gives up": "context canceled", "tab taken away": errDetached.Message,
			"Host lost": errHostGone.Message, "Host returns": errHostGone.Message, "Host replaced": errHostReplaced.Message, "target gone": errTargetDestroyed.Message,
			"lease taken": "paused: Bob has the page",
		},
	},
	"relay.Control.AwaitBrowser": {
		heeds: true,
		begin: func(r *interrupted) {
			r.over = r.hub.Control().ExpectBrowser()
			r.outcome = fmt.Sprint(r.hub.Control().AwaitBrowser(r.ctx))
		},
		want: map[string]string{"": advice.Restarting.Error(), "caller gives up": "context canceled", "no browser": "<nil>"},
	},
	"relay.waitingCommands.keep for a browser": {
		async: true,
		begin: func(r *interrupted) {
			r.over = r.hub.Control().ExpectBrowser()
			r.atBrowser("Storage.getCookies", "{}")
		},
		end:  func(r *interrupted) string { return fmt.Sprint(r.count("shutting down")) },
		want: map[string]string{"": "0", "hub drains": "1"},
	},
	"relay.side.forwardBrowserLocked": {
		async: true,
		begin: func(r *interrupted) { r.atBrowser("Target.createTarget", `{"url":"http://app/"}`) },
	},
	"relay.Client.await": {
		begin: func(r *interrupted) {
			for range inFlightAlone + 1 {
				r.send("Runtime.evaluate", "{}")
			}
			r.outcome = "sent"
		},
		want: map[string]string{"": "sent"},
	},
	"relay.beginHandoff": {
		async: true,
		begin: func(r *interrupted) { r.send("CdpHub.handoff", `{"instructions":"x","timeout":60000}`) },
		end:   func(r *interrupted) string { return fmt.Sprint(r.count("CdpHub.handoffComplete")) },
		want:  map[string]string{"": "1", "Client leaves": "0", "session ends": "0", "tab taken away": "0", "target gone": "0", "Host lost": "0", "Host replaced": "0"},
	},
	"relay.lease.startTimer": {
		async: true,
		begin: func(r *interrupted) { r.take(0); r.ann.ViewerGone("T0") },
		end:   (*interrupted).holder,
		want:  map[string]string{"": "", "lease taken": "", "lease passes on": "Bob"},
	},
	"relay.side.awaitLocked": {
		async: true,
		begin: func(r *interrupted) { r.events.HostGone(true) },
		end:   func(r *interrupted) string { return fmt.Sprint(len(r.hub.Targets(nil))) },
		want:  map[string]string{"": "0", "Host replaced": "1", "Host returns": "1"},
	},
}

func (r *interrupted) holder() string {
	held, _ := r.hub.Control().Holder("T0")
	return held.Name
}

// take takes the page over for Ann.
func (r *interrupted) take(wait time.Duration) {
	if err := r.ann.Take("T0", "Ann", r.lease(wait)); err != nil {
		r.t.Error(err)
	}
}

// passOn has Bob take the page over in the moment in which Ann gives it back, so that it is never free.
func (r *interrupted) passOn() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if old := r.hub.leases.covering("T0"); old != nil {
		old.end(holder{old.owner})
		l := r.hub.leases.add(old.side, old.target)
		l.LeaseOptions, l.owner, l.name = r.lease(old.Wait), r.bob.client, "Bob"
		l.renew(l.Idle, LeaseIdle)
	}
}

// TestR286InterruptedOperations interrupts each operation that waits in a hub by all that can
// happen meanwhile. It ends as the table says. Each command has exactly one answer, each lease
// one end, and nothing is left in the hub: no session, command, dialog, lease or handoff.
func TestR286InterruptedOperations(t *testing.T) {
	for function, op := range waitingOps {
		for name, interrupt := range interruptions {
			t.Run(function+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newInterrupted(t)
					go op.begin(r)
					if !op.async {
						waittest.Wants(t, function)
					}
					synctest.Wait()
					interrupt(r)
					r.check()
					if name == "caller gives up" && op.heeds && waittest.Waiting()[function] {
						t.Error("it goes on waiting")
					}
					close(r.goOn)
					r.events.Result(r.host.last, r.host.session, []byte(`{}`), nil)
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					r.check()
					if op.end != nil {
						r.outcome = op.end(r)
					}
					want, listed := op.want[name]
					if !listed {
						want = op.want[""]
					}
					said, _, _ := strings.Cut(r.outcome, ". A person ")
					if r.finish(); said != want {
						t.Errorf("it ended as %q, want %q", r.outcome, want)
					}
				})
			})
		}
	}
}

// check recounts the books of the hub. Nothing may wait for a Client that has left.
func (r *interrupted) check() {
	synctest.Wait()
	if err := r.hub.check(); err != nil {
		r.t.Error(err)
	}
	if l := r.hub.leases.covering("T0"); r.left && (l != nil && len(l.kept.list) > 0 || len(r.hub.awaited.parked.list) > 0) {
		r.t.Error("a command of a Client that has left waits")
	}
	if r.ctx.Err() != nil && len(r.local.waiting) > 0 {
		r.t.Error("nobody waits for an answer, and it is expected")
	}
}

// finish ends everything, and wants nothing to be left.
func (r *interrupted) finish() {
	r.cancel()
	r.over()
	r.events.HostGone(false)
	for id := 1; id <= int(r.sent.Load()) && !r.left; id++ {
		if n := r.count(fmt.Sprintf(`{"id":%d,`, id)); n != 1 {
			r.t.Errorf("command %d has %d answers: %q", id, n, r.inbox.got)
		}
	}
	r.client.Leave()
	for _, l := range []*Local{r.local, r.ann, r.bob} {
		l.Leave()
	}
	time.Sleep(2 * time.Hour)
	r.check()
	wantsNothingLeft(r.t, r.hub)
	if r.taken != r.ended {
		r.t.Errorf("of %d leases, %d have ended", r.taken, r.ended)
	}
}
