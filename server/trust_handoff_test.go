package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// the link of a handoff opens once, for one target, and for as long as the
// handoff is open.
func TestR178HandoffLinks(t *testing.T) {
	t.Parallel()
	change, _ := withReaders(t)
	var log logtest.Buffer
	s := startLogged(t, logtest.Open(t, &log).Logger, func(o *Options) { // no line has a field twice
		change(o)
		o.HandoffByLink = true
	})
	host := s.guardedScreen(t)
	host.send(`{"kind":"targetCreated","target":{"targetId":"T2","title":"Other","url":"http://app/other"}}`)
	agent := hubtest.Dial(t, "ws://"+s.addr(false)+"/devtools/browser?name=secretary", bearer(clientToken))
	agent.Send(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	var attached struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal([]byte(agent.Until(`"id":1,`)), &attached); err != nil {
		t.Fatal(err)
	}
	in := `,"sessionId":"` + attached.Result.SessionID + `"}`
	agent.Send(`{"id":2,"method":"CdpHub.handoff","params":{"instructions":"Log in, please."}` + in)
	var asked struct {
		Result struct{ HandoffID, URL string }
	}
	if err := json.Unmarshal([]byte(agent.Until(`"id":2,`)), &asked); err != nil {
		t.Fatal(err)
	}
	base, ticket, ok := strings.Cut(asked.Result.URL, "/#handoff=")
	if !ok || base != "http://"+s.addr(false) {
		t.Fatalf("the link is %q", asked.Result.URL)
	}

	exchange := func(ticket string) (status int, key string) {
		t.Helper()
		resp, err := http.Post(base+"/ui/api/handoff", "application/json", strings.NewReader(`{"ticket":"`+ticket+`"}`)) //nolint:noctx // it is local
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got struct{ Key, TargetID, Instructions string }
		if resp.StatusCode == http.StatusOK && (json.NewDecoder(resp.Body).Decode(&got) != nil || got.TargetID != "T1" || got.Instructions != "Log in, please.") {
			t.Errorf("a ticket is exchanged for %+v", got)
		}
		return resp.StatusCode, got.Key
	}
	if status, _ := exchange("0" + ticket[1:] + "0"); status != http.StatusNotFound {
		t.Errorf("a guess is answered %d", status)
	}
	_, key := exchange(ticket)
	if status, _ := exchange(ticket); status != http.StatusNotFound {
		t.Errorf("a link that was used is answered %d", status)
	}
	if status, _ := s.get(t, s.addr(false), "/ui/api/state", bearer(ticket)); status != http.StatusUnauthorized {
		t.Errorf("a ticket in place of a token is answered %d", status)
	}

	// The key is for this target, and for the dashboard.
	guest := bearer(key)
	status, body := s.get(t, s.addr(false), "/ui/api/state", guest)
	if status != http.StatusOK || !strings.Contains(body, `"T1"`) || strings.Contains(body, `"T2"`) || strings.Contains(body, `"peer"`) || strings.Contains(body, "secretary") || !strings.Contains(body, `"control":true`) {
		t.Errorf("a guest sees %d %s", status, body)
	}
	for _, path := range []string{"/json/list", "/home.json", "/ui/api/timeline?target=T1", "/hub/one/ui/api/state", "/ui/api/view?target=T2"} {
		if status, body := s.get(t, s.addr(false), path, guest); status < 400 {
			t.Errorf("a guest gets %s: %d %.200s", path, status, body)
		}
	}
	v := s.view(t, "", "T1", guest)
	v.until(map[string]any{"kind": "view", "control": true})
	v.untilPictures(1)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	agent.Send(`{"id":3,"method":"Runtime.evaluate","params":{"expression":"password.value"}` + in)
	if got := agent.Until(`"id":3,`); !strings.Contains(got, "paused: somebody with the link has the page") {
		t.Errorf("the agent reads meanwhile: %s", got)
	}
	v.say(`{"kind":"key","type":"keyDown","key":"a","text":"a"}`)
	hubtest.Eventually(t, "what is typed", func() bool { return host.inputs.Load() == 1 })

	// A page that is loaded again has the target at once, whether the hub hears of the old
	// connection's end before or after, and while others look.
	other := s.view(t, "", "T1", bearer(clientToken))
	other.until(map[string]any{"kind": "view"})
	for i, first := range []bool{true, false, false, true} {
		if i == 2 { // from now on nobody else looks
			other.conn.Close(wsconn.ReasonNormal)
			<-other.closed
		}
		old, ends := v, strings.Count(log.String(), `"msg":"view ends"`)
		if first {
			old.conn.Close(wsconn.ReasonNormal)
			hubtest.Eventually(t, "the end of the old view", func() bool { return strings.Count(log.String(), `"msg":"view ends"`) > ends })
		}
		v = s.view(t, "", "T1", guest)
		if !first {
			old.conn.Close(wsconn.ReasonNormal)
		}
		v.until(map[string]any{"kind": "holder", "mine": true})
		v.untilPictures(1)
		v.say(`{"kind":"key","type":"keyDown","key":"a","text":"a"}`)
		hubtest.Eventually(t, "what is typed again", func() bool { return host.inputs.Load() == int64(i)+2 })
	}

	// A second window of the same person sees the page, and takes it; the first has it again when
	// the second is closed.
	second := s.view(t, "", "T1", guest)
	second.until(map[string]any{"kind": "holder", "mine": false, "you": true})
	second.untilPictures(1)
	second.say(`{"kind":"take"}`)
	second.until(map[string]any{"kind": "holder", "mine": true})
	v.until(map[string]any{"kind": "holder", "mine": false, "you": true})
	second.conn.Close(wsconn.ReasonNormal)
	v.until(map[string]any{"kind": "holder", "mine": true})

	v.say(`{"kind":"done"}`)
	if got := agent.Until("CdpHub.handoffComplete"); !strings.Contains(got, `"success":true,"reason":"done"`) {
		t.Errorf("the agent hears %s", got)
	}
	agent.Send(`{"id":4,"method":"Runtime.evaluate","params":{"expression":"1"}` + in)
	if got := agent.Until(`"id":4,`); !strings.Contains(got, `"result":{}`) {
		t.Errorf("afterwards the agent gets %s", got)
	}
	log.Await(t, `"logger":"audit","msg":"handoff ends","hub":"","target":"T1"`)
	if status, _ := s.get(t, s.addr(false), "/ui/api/state", guest); status != http.StatusUnauthorized {
		t.Errorf("a guest after the end: %d", status)
	}
	hubtest.Eventually(t, "the end of the view", func() bool {
		select {
		case <-v.closed:
			return true
		default:
			return false
		}
	})
}
