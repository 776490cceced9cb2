package relay

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// dialogHost is a browser that keeps the last command.
type dialogHost struct {
	familyHost
	last bridge.Command
}

func (d *dialogHost) Send(c bridge.Command) error {
	c.Params = append([]byte(nil), c.Params...)
	d.last = c
	return nil
}

// TestHolderAnswersADialogThatWasOpen takes over a page whose agent has left a dialog
// open: the holder hears of it, and its answer goes through the agent's session.
func TestHolderAnswersADialogThatWasOpen(t *testing.T) {
	h := newHub(t, Options{})
	host, agent := &dialogHost{}, &inbox{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}, {ID: "OTHER"}})
	c := join(t, h, agent)
	discover := []byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`) // makes a root
	c.Receive(discover)
	ev.Opened(bridge.Nested{Parent: host.root, SessionID: "agent", TargetID: "PAGE", Type: "page"})
	ev.SessionEvent("agent", "Page.javascriptDialogOpening", []byte(`{"url":"u","frameId":"f","message":"Sure?","type":"confirm","hasBrowserHandler":true,"defaultPrompt":""}`))
	var told []string
	ann, err := h.JoinLocal(LocalOptions{Event: func(session, method string, params []byte) {
		told = append(told, session+" "+method+" "+string(params))
	}})
	if err != nil {
		t.Fatal(err)
	}
	ann.client.Receive(discover)
	for id, target := range map[string]string{"ann": "PAGE", "else": "OTHER"} {
		ev.Opened(bridge.Nested{Parent: host.root, SessionID: id, TargetID: target, Type: "page"})
	}
	enable := func(session string) string {
		told = nil
		ann.Send(session, "Page.enable", nil)
		return strings.Join(told, "\n")
	}
	if got := enable("ann"); got != "" {
		t.Errorf("before the takeover: %s", got)
	}
	if err := ann.Take("PAGE", "Ann", LeaseOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := enable("else"); got != "" {
		t.Errorf("of another page: %s", got)
	}
	if got := enable("ann"); !strings.HasPrefix(got, "ann Page.javascriptDialogOpening {") || !strings.Contains(got, `"message":"Sure?","type":"confirm"`) {
		t.Errorf("the holder is told %q", got)
	}
	if host.last.Method != "Page.enable" || host.last.SessionID != "ann" {
		t.Errorf("the Host got %+v", host.last)
	}
	agent.take()
	answer := ann.Send("ann", "Page.handleJavaScriptDialog", []byte(`{"accept":true}`))
	if host.last.SessionID != "agent" || host.last.Method != "Page.handleJavaScriptDialog" || string(host.last.Params) != `{"accept":true}` {
		t.Errorf("the Host got %+v", host.last)
	}
	ev.Result(host.last.Call, "agent", []byte(`{}`), nil)
	if got, err := answer(t.Context()); err != nil || string(got) != `{}` {
		t.Errorf("the answer: %s, %v", got, err)
	}
	if got := agent.take(); len(got) != 0 {
		t.Errorf("the agent hears of it: %q", got)
	}
	ev.SessionEvent("agent", "Page.javascriptDialogClosed", []byte(`{"result":true,"userInput":""}`))
	if got := enable("ann"); got != "" {
		t.Errorf("after the end of the dialog: %s", got)
	}
	ann.Send("ann", "Page.handleJavaScriptDialog", []byte(`{"accept":true}`))
	if host.last.SessionID != "ann" {
		t.Errorf("without a dialog the Host got %+v", host.last)
	}
	// The agent disables Page: from then on the browser takes no answer of it.
	ev.SessionEvent("agent", "Page.javascriptDialogOpening", []byte(`{"message":"Sure?","type":"alert"}`))
	c.Receive([]byte(`{"id":2,"method":"Page.disable","sessionId":"agent"}`))
	if got := enable("ann"); got != "" {
		t.Errorf("after the agent has disabled Page: %s", got)
	}
	// The agent leaves with the answer under way.
	ev.SessionEvent("agent", "Page.javascriptDialogOpening", []byte(`{"message":"Sure?","type":"alert"}`))
	answer = ann.Send("ann", "Page.handleJavaScriptDialog", []byte(`{"accept":true}`))
	c.Leave()
	if got, err := answer(t.Context()); err == nil {
		t.Errorf("the answer without a session: %s", got)
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}
