package relay

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/targets"
)

// parties are a hub with an agent that may ask for handoffs, another one, a person with the
// dashboard, and a guest of the handoff that is open.
type parties struct {
	*leased
	guest *Local
	other *Client
	box   *inbox
	ends  []string // of leases, as "ann: released"
}

func newParties(t *testing.T) *parties {
	l, _ := newAsking(t)
	w := &parties{leased: l, box: &inbox{}}
	w.other = join(t, l.hub, w.box)
	w.attach(w.other)
	var err error
	if w.guest, err = l.hub.JoinLocal(LocalOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *parties) attach(c *Client) {
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`))
}

// tell sends a command of a Client in its session, if it has one.
func (w *parties) tell(c *Client, command string) {
	c.Receive([]byte(`{"id":9,` + command + `,"sessionId":"` + onlySession(c) + `"}`))
}

func (w *parties) ask(c *Client, timeout time.Duration) {
	w.tell(c, fmt.Sprintf(`"method":"CdpHub.handoff","params":{"instructions":"Log in.","timeout":%d}`, max(1, timeout.Milliseconds())))
}

func (w *parties) cancel(c *Client) {
	id := ""
	if o, open := w.hub.Control().HandoffOf("T0"); open {
		id = o.ID
	}
	w.tell(c, `"method":"CdpHub.cancelHandoff","params":{"handoffId":"`+id+`"}`)
}

func (w *parties) options(who string) LeaseOptions {
	return LeaseOptions{Key: who, Ended: func(why LeaseEnd) { w.ends = append(w.ends, who+": "+string(why)) }}
}

// takes has the person take the page, or the guest of the handoff that is open.
func (w *parties) takes(who string) {
	o := w.options(who)
	if who == "Ann" {
		w.ann.Take("T0", who, o)
		return
	}
	open, _ := w.hub.Control().HandoffOf("T0")
	o.Handoff = open.ID
	if o.Handoff == "" {
		o.Handoff = "over"
	}
	w.guest.Take("T0", who, o)
}

// TestR260WhoEndsALease has everybody do everything in every state of a page, and wants
// leases to end only by their owners.
func TestR260WhoEndsALease(t *testing.T) {
	states := map[string]func(*parties){
		"free":                           func(*parties) {},
		"asked":                          func(w *parties) { w.ask(w.agent, time.Hour) },
		"Ann has it":                     func(w *parties) { w.takes("Ann") },
		"Ann has it, then asked":         func(w *parties) { w.takes("Ann"); w.ask(w.agent, time.Hour) },
		"asked, then Ann takes it":       func(w *parties) { w.ask(w.agent, time.Hour); w.takes("Ann") },
		"asked, then the guest takes it": func(w *parties) { w.ask(w.agent, time.Hour); w.takes("guest") },
	}
	actions := map[string]func(*parties){
		"the agent asks":             func(w *parties) { w.ask(w.agent, time.Hour) },
		"the agent cancels":          func(w *parties) { w.cancel(w.agent) },
		"the agent asks and cancels": func(w *parties) { w.ask(w.agent, time.Hour); w.cancel(w.agent) },
		"the agent asks for 1 ms":    func(w *parties) { w.ask(w.agent, 1); time.Sleep(time.Second) },
		"the agent detaches": func(w *parties) {
			w.tell(w.agent, `"method":"Target.detachFromTarget","params":{"sessionId":"`+onlySession(w.agent)+`"}`)
		},
		"the agent asks and leaves": func(w *parties) { w.ask(w.agent, time.Hour); w.agent.Leave() },
		"the agent closes the page": func(w *parties) { w.tell(w.agent, `"method":"Page.close"`) },
		"another cancels":           func(w *parties) { w.cancel(w.other) },
		"another asks and cancels":  func(w *parties) { w.ask(w.other, time.Hour); w.cancel(w.other) },
		"Ann gives it back":         func(w *parties) { w.ann.Release("T0") },
		"the guest gives it back":   func(w *parties) { w.guest.Release("T0") },
		"the guest says it is done": func(w *parties) {
			o, _ := w.hub.Control().HandoffOf("T0")
			w.hub.Control().AnswerHandoff(o.ID, "", true)
		},
		"Ann's time is up": func(w *parties) { time.Sleep(11 * time.Minute) },
		"the page ends":    func(w *parties) { w.events.TargetGone("T0") },
	}
	ends := map[string]string{ // state, action → how the lease ends; "" it goes on as it was
		"Ann has it/Ann gives it back": "Ann: released", "Ann has it, then asked/Ann gives it back": "Ann: released",
		"asked, then Ann takes it/Ann gives it back": "Ann: released",
		"Ann has it/Ann's time is up":                "Ann: idle", "Ann has it, then asked/Ann's time is up": "Ann: idle",
		"asked, then Ann takes it/Ann's time is up": "Ann: idle",
		"Ann has it/the page ends":                  "Ann: target gone", "Ann has it, then asked/the page ends": "Ann: target gone",
		"asked, then Ann takes it/the page ends":                    "Ann: target gone",
		"asked, then the guest takes it/the guest gives it back":    "guest: released",
		"asked, then the guest takes it/the guest says it is done":  "guest: the handoff has ended",
		"asked, then the guest takes it/the agent cancels":          "guest: the handoff has ended",
		"asked, then the guest takes it/the agent asks and cancels": "guest: the handoff has ended",
		"asked, then the guest takes it/the agent detaches":         "guest: the handoff has ended",
		"asked, then the guest takes it/the agent asks and leaves":  "guest: the handoff has ended",
		"asked, then the guest takes it/Ann's time is up":           "guest: idle",
		"asked, then the guest takes it/the page ends":              "guest: target gone",
	}
	for state, arrange := range states {
		for action, act := range actions {
			t.Run(state+"/"+action, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newParties(t)
					arrange(w)
					before, held := w.hub.Control().Holder("T0")
					act(w)
					synctest.Wait()
					if got := strings.Join(w.ends, ", "); got != ends[state+"/"+action] {
						t.Errorf("the leases ended %q, want %q", got, ends[state+"/"+action])
					}
					after, still := w.hub.Control().Holder("T0")
					if held && len(w.ends) == 0 && (!still || after.Name != before.Name || after.Quiet != before.Quiet || after.Until.Before(before.Until)) {
						t.Errorf("the lease was %+v, and is %+v", before, after)
					}
					if err := w.hub.check(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// TestR260RandomLeases plays what agents, people and guests do in random orders. A lease in
// a person's own right must end only by that person, by its time, or with its page, and
// must change only by that person.
func TestR260RandomLeases(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for round := range uint64(60) {
		synctest.Test(t, func(t *testing.T) { playLeases(t, rand.New(rand.NewPCG(seed, round))) })
	}
}

// playLeases is one round. Each step is somebody's; mine are Ann's own steps.
func playLeases(t *testing.T, r *rand.Rand) {
	w := newParties(t)
	agents := []*Client{w.agent, w.other}
	steps := []struct {
		name string
		may  string // how Ann's lease may end meanwhile
		do   func()
	}{
		{"asks", "", func() { w.ask(agents[r.IntN(2)], time.Duration(r.IntN(2000))*time.Millisecond) }},
		{"cancels", "", func() { w.cancel(agents[r.IntN(2)]) }},
		{"asks and cancels", "", func() { c := agents[r.IntN(2)]; w.ask(c, time.Minute); w.cancel(c) }},
		{"closes", "", func() { w.tell(agents[r.IntN(2)], `"method":"Page.close"`) }},
		{"detaches", "", func() {
			c := agents[r.IntN(2)]
			w.tell(c, `"method":"Target.detachFromTarget","params":{"sessionId":"`+onlySession(c)+`"}`)
			w.attach(c)
		}},
		{"leaves", "", func() {
			i := r.IntN(2)
			agents[i].Leave()
			agents[i] = join(t, w.hub, &inbox{})
			w.attach(agents[i])
		}},
		{"guest takes", "", func() { w.takes("guest") }},
		{"guest gives back", "", func() { w.guest.Release("T0") }},
		{"guest is done", "", func() {
			o, _ := w.hub.Control().HandoffOf("T0")
			w.hub.Control().AnswerHandoff(o.ID, "", r.IntN(2) == 0)
		}},
		{"Ann takes", "", func() { w.takes("Ann") }},
		{"Ann gives back", "released", func() { w.ann.Release("T0") }},
		{"Ann goes", "", func() { w.ann.ViewerGone("T0") }},
		{"time goes by", "idle, viewer gone", func() { time.Sleep(time.Duration(r.IntN(60)) * time.Second) }},
		{"page ends", "target gone", func() { w.events.TargetGone("T0"); w.events.TargetCreated(targets.Info{ID: "T0"}) }},
	}
	for range 150 {
		step := steps[r.IntN(len(steps))]
		w.ends = nil
		before, held := w.hub.Control().Holder("T0")
		step.do()
		synctest.Wait()
		for _, end := range w.ends {
			who, why, _ := strings.Cut(end, ": ")
			if who == "Ann" && !strings.Contains(step.may, why) {
				t.Fatalf("%s: Ann's lease ends: %s", step.name, why)
			}
		}
		after, _ := w.hub.Control().Holder("T0")
		if held && before.Name == "Ann" && len(w.ends) == 0 && !strings.HasPrefix(step.name, "Ann") {
			if after.Name != "Ann" || after.Quiet != before.Quiet || after.Until.Before(before.Until) {
				t.Fatalf("%s: Ann's lease was %+v, and is %+v", step.name, before, after)
			}
		}
		if err := w.hub.check(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		for _, c := range agents {
			if onlySession(c) == "" {
				w.attach(c)
			}
		}
	}
}
