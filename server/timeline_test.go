package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/targets"
)

// answerer is a Host that answers every command with {}, or a picture.
type answerer struct{ events bridge.Events }

func (a *answerer) Send(c bridge.Command) error {
	call, session, result := c.Call, strings.Clone(c.SessionID), `{}`
	if c.Method == "Page.captureScreenshot" {
		result = `{"data":"/9j/4AAQ"}`
	}
	go a.events.Result(call, session, []byte(result), nil)
	return nil
}
func (*answerer) Release(string, string) {}
func (*answerer) Close(bridge.Reason)    {}

// answering adds such a Host, with a page of the web and one that is not.
func (s started) answering(t *testing.T) {
	t.Helper()
	hub, release, err := s.hubs.Acquire("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	a := new(answerer)
	a.events, err = hub.SetHost(a, bridge.Announcement{Targets: []targets.Info{{ID: "T1", URL: "https://app.example/"}, {ID: "FILE", URL: "file:///etc", NotWeb: true}}})
	if err != nil {
		t.Fatal(err)
	}
}

// clicks clicks on a target.
func clicks(c *far, target string) {
	session := c.Attach(target)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.send(`{"id":5,"method":"Input.dispatchMouseEvent","params":{"type":"` + kind + `","x":1,"y":2,"button":"left"},"sessionId":"` + session + `"}`)
		c.until(`"id":5`)
	}
}

// entries asks for a timeline until it has something of a kind.
func (s started) entries(t *testing.T, query, kind string, header http.Header) (list []map[string]any) {
	t.Helper()
	hubtest.Eventually(t, "an entry of kind "+kind, func() bool {
		status, body := s.get(t, s.addr(false), "/ui/api/timeline?"+query, header)
		var answer struct{ Entries []map[string]any }
		if err := json.Unmarshal([]byte(body), &answer); status != 200 || err != nil {
			t.Fatalf("%d %s", status, body)
		}
		list = answer.Entries
		for _, e := range list {
			if e["kind"] == kind {
				return true
			}
		}
		return false
	})
	return list
}

func timelineOn(o *Options) { o.Timeline.On = true }

func TestTimeline(t *testing.T) {
	s := start(t, timelineOn)
	s.answering(t)
	clicks(s.client(t), "T1")
	list := s.entries(t, "target=T1", "picture", nil)
	first, last := list[0], list[len(list)-1]
	if first["text"] != "clicked at (1, 2)" || first["method"] != "Input.dispatchMouseEvent" || first["client"] == "" {
		t.Errorf("the first entry is %v", first)
	}
	seq, _ := json.Marshal(last["seq"])
	status, body := s.get(t, s.addr(false), "/ui/api/picture?target=T1&seq="+string(seq), nil)
	if status != 200 || !strings.HasPrefix(body, "\xff\xd8") {
		t.Errorf("the picture: %d %q", status, body)
	}
	if status, body = s.get(t, s.addr(false), "/ui/api/timeline?target=T1&after="+string(seq), nil); body != `{"entries":[]}`+"\n" {
		t.Errorf("what is newer: %d %s", status, body)
	}
	for path, want := range map[string]int{
		"/ui/api/timeline":                     404,
		"/ui/api/timeline?target=T9":           404,
		"/ui/api/timeline?target=T1&after=x":   400,
		"/ui/api/picture?target=T1":            404,
		"/ui/api/picture?target=T1&seq=999":    404,
		"/ui/api/picture?target=T1&seq=-1":     404,
		"/hub/other/ui/api/timeline?target=T1": 404,
	} {
		if status, body := s.get(t, s.addr(false), path, nil); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	if status, _ := s.get(t, s.addr(true), "/ui/api/timeline?target=T1", nil); status != 404 {
		t.Errorf("the listener for Hosts: %d", status)
	}
}

func TestTimelineIsOff(t *testing.T) {
	s := start(t, nil)
	s.answering(t)
	if status, _ := s.get(t, s.addr(false), "/ui/api/timeline?target=T1", nil); status != 404 {
		t.Errorf("without a timeline: %d", status)
	}
}

// TestR165TimelinesOfHiddenTargetsAreHidden asks for the timeline of a target that is
// no page of the web, and from pages and people who may see none.
func TestR165TimelinesOfHiddenTargetsAreHidden(t *testing.T) {
	const full, privileged = "full-token-0123456789", "privileged-token-0123"
	file, _ := hubtest.TokenFile(t, `tokens:
  - {token: `+full+`, role: client, scope: full}
  - {token: `+privileged+`, role: client, scope: privileged}
`)
	s := start(t, func(o *Options) {
		timelineOn(o)
		o.Tokens.File = file
	})
	s.answering(t)
	clicks(dial(t, "ws://"+s.addr(false)+"/devtools/browser", hubtest.Bearer(privileged)), "FILE")
	list := s.entries(t, "target=FILE", "picture", hubtest.Bearer(privileged))
	seq, _ := json.Marshal(list[len(list)-1]["seq"])
	for name, header := range map[string]http.Header{
		"another scope": hubtest.Bearer(full), "no token": nil, "a wrong token": hubtest.Bearer("wrong-token-0123456789"),
		"a page": {"Authorization": hubtest.Bearer(privileged)["Authorization"], "Origin": {"https://evil.example"}},
	} {
		for _, path := range []string{"/ui/api/timeline?target=FILE", "/ui/api/picture?target=FILE&seq=" + string(seq)} {
			if status, body := s.get(t, s.addr(false), path, header); status == 200 {
				t.Errorf("%s: %s answers %s", name, path, body)
			}
		}
	}
}
