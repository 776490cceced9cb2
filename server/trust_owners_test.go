package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

const (
	agentToken  = "agent-token-agent-token"
	personToken = "person-token-person-token"
	ownerToken  = "owner-token-owner-token"
)

// handedOver is a hub with tokens, and an agent that asks for a handoff of T1.
type handedOver struct {
	started
	t      *testing.T
	host   *screen
	agent  *hubtest.Peer
	in     string // the end of a command in the agent's session
	ticket string
	id     string // of the handoff
}

func askWithTokens(t *testing.T) *handedOver {
	t.Helper()
	change, _ := withFile(t, strings.NewReplacer("CLIENT", clientToken, "AGENT", agentToken, "PERSON", personToken, "OWNER", ownerToken, "HOST", hostToken, "READ", readToken, "OTHER", otherToken).Replace(`tokens:
- {name: ann, token: CLIENT, role: client, hub: "", scope: full}
- {name: agent, token: AGENT, role: client, hub: "", scope: standard}
- {name: person, token: PERSON, role: client, hub: "", scope: standard}
- {name: owner, token: OWNER, role: client, hub: "", scope: privileged}
- {name: reader, token: READ, role: client, hub: "", scope: readonly}
- {name: other, token: OTHER, role: client, hub: one, scope: full}
- {name: host, token: HOST, role: host, hub: "*"}
`))
	h := &handedOver{t: t, started: start(t, func(o *Options) {
		change(o)
		timelineOn(o)
	})}
	h.host = h.guardedScreen(t)
	h.agent, h.in = h.attached(agentToken)
	h.ask()
	return h
}

// ask has the agent ask for a handoff.
func (h *handedOver) ask() {
	h.t.Helper()
	h.agent.Send(`{"id":2,"method":"CdpHub.handoff","params":{"instructions":"Log in, please."}` + h.in)
	var asked struct {
		Result struct{ URL, HandoffID string }
	}
	if err := json.Unmarshal([]byte(h.agent.Until(`"id":2,`)), &asked); err != nil {
		h.t.Fatal(err)
	}
	_, h.ticket, _ = strings.Cut(asked.Result.URL, "/#handoff=")
	h.id = asked.Result.HandoffID
}

// attached is a Client with a session on T1.
func (h *handedOver) attached(token string) (c *hubtest.Peer, in string) {
	h.t.Helper()
	c = hubtest.Dial(h.t, "ws://"+h.addr(false)+"/devtools/browser", bearer(token))
	c.Send(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	var attached struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal([]byte(c.Until(`"id":1,`)), &attached); err != nil {
		h.t.Fatal(err)
	}
	return c, `,"sessionId":"` + attached.Result.SessionID + `"}`
}

// open sends the ticket with a token, or without one.
func (h *handedOver) open(token string) (status int, key, text string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, "http://"+h.addr(false)+"/ui/api/handoff", strings.NewReader(`{"ticket":"`+h.ticket+`"}`))
	if err != nil {
		h.t.Fatal(err)
	}
	if token != "" {
		r.Header = bearer(token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	var got struct{ Key string }
	_ = json.Unmarshal(body, &got) // a refusal is text
	return resp.StatusCode, got.Key, string(body)
}

// beside has another frame of the app in the Host page, and somebody who views it.
func (h *handedOver) beside(token string) *viewing {
	h.t.Helper()
	h.host.send(`{"kind":"targetCreated","target":{"targetId":"T2","title":"Other","url":"http://app/other"}}`)
	hubtest.Eventually(h.t, "the other frame", func() bool {
		_, body := h.get(h.t, h.addr(false), "/ui/api/state", bearer(token))
		return strings.Contains(body, `"T2"`)
	})
	v := h.view(h.t, "", "T2", bearer(token))
	v.until(map[string]any{"kind": "view", "title": "Other"})
	return v
}

// taken has the person open the link and take the page over.
func (h *handedOver) taken() (v *viewing, key string) {
	h.t.Helper()
	status, key, text := h.open(personToken)
	if status != http.StatusOK {
		h.t.Fatalf("another token opens the link: %d %s", status, text)
	}
	v = h.view(h.t, "", "T1", bearer(key))
	v.untilPictures(1)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	return v, key
}

// TestR263TheAskingTokenCannotOpenItsLink sends the ticket of a link with every kind of
// token, and has the agent try to do by the dashboard what it has asked for.
func TestR263TheAskingTokenCannotOpenItsLink(t *testing.T) {
	h := askWithTokens(t)
	for name, tt := range map[string]struct {
		token  string
		status int
		says   string
	}{
		"no token":              {"", http.StatusUnauthorized, "token"},
		"the asking token":      {agentToken, http.StatusForbidden, "The token that has asked for this handoff cannot open its link"},
		"a readonly token":      {readToken, http.StatusForbidden, "needs scope standard"},
		"a token of a Host":     {hostToken, http.StatusUnauthorized, "role"},
		"of another hub":        {otherToken, http.StatusUnauthorized, "hub"},
		"the ticket as token":   {h.ticket, http.StatusUnauthorized, "token"},
		"a made-up guest's key": {"handoff." + h.ticket, http.StatusUnauthorized, "token"},
	} {
		if status, key, text := h.open(tt.token); status != tt.status || key != "" || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	own := h.view(t, "", "T1", bearer(agentToken))
	own.untilPictures(1)
	own.say(`{"kind":"take"}`)
	own.until(map[string]any{"kind": "error", "message": "the token that has asked for this handoff cannot do what it asks for: use another token, or cancel the handoff"})
	own.say(`{"kind":"done"}`)
	own.until(map[string]any{"kind": "error", "message": "the token that has asked for this handoff cannot do what it asks for: use another token, or cancel the handoff"})
	v, _ := h.taken() // the refusals have not used the link up
	h.agent.Send(`{"id":3,"method":"Runtime.evaluate","params":{"expression":"1"}` + h.in)
	if got := h.agent.Until(`"id":3,`); !strings.Contains(got, "paused: person with the link has the page") {
		t.Errorf("the agent reads meanwhile: %s", got)
	}
	v.say(`{"kind":"key","type":"keyDown","key":"a","text":"a"}`)
	hubtest.Eventually(t, "what is typed", func() bool { return h.host.inputs.Load() == 1 })
	v.say(`{"kind":"done"}`)
	if got := h.agent.Until("CdpHub.handoffComplete"); !strings.Contains(got, `"success":true`) {
		t.Errorf("the agent hears %s", got)
	}
	// the timeline has it as the link's doing.
	hubtest.Eventually(t, "the timeline", func() bool {
		_, body := h.get(t, h.addr(false), "/ui/api/timeline?target=T1", bearer(personToken))
		return strings.Contains(body, `"client":"person with the link","method":"Input.dispatchKeyEvent","text":"typed"`)
	})
}

// TestR261PrivilegedReadsAndCloses has a person act in a handoff: the privileged token sees
// the page in the dashboard and over CDP, and can close it. Others cannot, and see neither
// title nor path.
func TestR261PrivilegedReadsAndCloses(t *testing.T) {
	h := askWithTokens(t)
	owner, inOwners := h.attached(ownerToken)
	reader, beside := h.view(t, "", "T1", bearer(readToken)), h.beside(readToken)
	reader.untilPictures(1)
	_, key := h.taken()
	h.host.send(`{"kind":"targetInfoChanged","target":{"targetId":"T1","title":"typed","url":"http://app/?q=typed"}}`)
	looks := h.view(t, "", "T1", bearer(ownerToken))
	looks.until(map[string]any{"kind": "view", "title": "typed"})
	looks.untilPictures(2)
	reader.until(map[string]any{"kind": "view", "title": "", "url": "http://app/"})
	beside.until(map[string]any{"kind": "view", "title": "", "url": "http://app/"}) // a frame of the same origin
	for token, sees := range map[string]bool{key: true, ownerToken: true, agentToken: false, personToken: false, readToken: false} {
		_, body := h.get(t, h.addr(false), "/ui/api/state", bearer(token))
		if strings.Contains(body, "typed") != sees {
			t.Errorf("the state for %s: %s", token, body)
		}
		if _, body := h.get(t, h.addr(false), "/json/list", bearer(token)); strings.Contains(body, "typed") {
			t.Errorf("the list for %s: %s", token, body)
		}
	}
	for i, command := range []string{`"method":"Runtime.evaluate","params":{"expression":"1"}`, `"method":"Page.captureScreenshot"`, `"method":"Target.getTargetInfo"`} {
		owner.Send(fmt.Sprintf(`{"id":%d,%s%s`, 10+i, command, inOwners))
		if got := owner.Until(fmt.Sprintf(`"id":%d,`, 10+i)); strings.Contains(got, "paused") || strings.Contains(command, "Info") && !strings.Contains(got, "typed") {
			t.Errorf("the privileged Client sends %s: %s", command, got)
		}
		h.agent.Send(fmt.Sprintf(`{"id":%d,%s%s`, 10+i, command, h.in))
		if got := h.agent.Until(fmt.Sprintf(`"id":%d,`, 10+i)); strings.Contains(got, "typed") || !strings.Contains(command, "Info") && !strings.Contains(got, "paused") {
			t.Errorf("the agent sends %s: %s", command, got)
		}
	}
	owner.Send(`{"id":20,"method":"Input.insertText","params":{"text":"x"}` + inOwners)
	if got := owner.Until(`"id":20,`); !strings.Contains(got, "paused") {
		t.Errorf("the privileged Client acts: %s", got)
	}
	h.agent.Send(`{"id":20,"method":"Target.closeTarget","params":{"targetId":"T1"}}`)
	if got := h.agent.Until(`"id":20,`); !strings.Contains(got, "paused") {
		t.Errorf("the agent closes the page: %s", got)
	}
	owner.Send(`{"id":21,"method":"Target.closeTarget","params":{"targetId":"T1"}}`)
	if got := owner.Until(`"id":21,`); !strings.Contains(got, `"success":true`) {
		t.Errorf("the privileged Client closes the page: %s", got)
	}
}

// TestR261PrivilegedClosesByAddress has tokens close the page of a handoff by /json/close.
func TestR261PrivilegedClosesByAddress(t *testing.T) {
	h := askWithTokens(t)
	h.taken()
	for _, tt := range []struct {
		token, says string
	}{{agentToken, "paused"}, {personToken, "paused"}, {ownerToken, "Target is closing"}} {
		if _, body := h.get(t, h.addr(false), "/json/close/T1", bearer(tt.token)); !strings.Contains(body, tt.says) {
			t.Errorf("%s closes the page: %s", tt.token, body)
		}
	}
}

// TestR260TakeoverInTheDashboard has a person take a page over before an agent asks for help
// there. What the agent does with its request changes nothing of that; the person then takes
// the page for the request, and keeps it when the agent gives up.
func TestR260TakeoverInTheDashboard(t *testing.T) {
	h := askWithTokens(t)
	n := 100
	agent := func(command string) string {
		n++
		h.agent.Send(fmt.Sprintf(`{"id":%d,%s%s`, n, command, h.in))
		return h.agent.Until(fmt.Sprintf(`"id":%d,`, n))
	}
	cancel := func() {
		hub, release := h.hubs.Peek("")
		open, _ := hub.Control().HandoffOf("T1")
		release()
		if got := agent(`"method":"CdpHub.cancelHandoff","params":{"handoffId":"` + open.ID + `"}`); strings.Contains(got, "error") {
			t.Fatal(got)
		}
	}
	const reads = `"method":"Runtime.evaluate","params":{"expression":"1"}`
	cancel()
	v := h.view(t, "", "T1", bearer(personToken))
	v.untilPictures(1)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	agent(`"method":"CdpHub.handoff","params":{"instructions":"Log in, please."}`)
	if got := agent(reads); strings.Contains(got, "paused") {
		t.Errorf("the request has made the page quiet: %s", got)
	}
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true, "quiet": true})
	if got := agent(reads); !strings.Contains(got, "paused: person has the page") {
		t.Errorf("the person acts for the agent, which reads: %s", got)
	}
	cancel()
	if got := agent(reads); !strings.Contains(got, "paused: person has the page") {
		t.Errorf("the agent has ended the takeover: %s", got)
	}
	v.say(`{"kind":"mouse","type":"mouseMoved","x":1,"y":1}`)
	hubtest.Eventually(t, "the move of the mouse", func() bool { return h.host.inputs.Load() == 1 })
	v.say(`{"kind":"release"}`)
	v.until(map[string]any{"kind": "holder", "name": ""})
	if got := agent(reads); strings.Contains(got, "paused") {
		t.Errorf("the page was handed back: %s", got)
	}
	agent(`"method":"CdpHub.handoff","params":{"instructions":"Log in, please."}`)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true, "quiet": true})
	v.say(`{"kind":"done"}`) // gives the page back, too
	v.until(map[string]any{"kind": "holder", "name": ""})
}

// TestR263TokensMadeForTheAskingTokenCannotOpenItsLink has a token that was made on behalf of
// another, as those of sandboxes are. One of the two asks, and the other is no other person.
func TestR263TokensMadeForTheAskingTokenCannotOpenItsLink(t *testing.T) {
	for _, made := range []struct {
		name string
		asks bool
	}{{"it opens", false}, {"it asks", true}} {
		t.Run(made.name, func(t *testing.T) {
			h := askWithTokens(t)
			agent := auth.Grant{Role: auth.RoleClient, Scope: auth.ScopePrivileged, Payer: quota.Payer{ID: auth.NewSecret(agentToken).Hash(), Name: "agent"}}
			token, end := h.tokens.Issue(agent)
			defer end()
			opener := token
			if made.asks {
				h.agent.Send(`{"id":3,"method":"CdpHub.cancelHandoff","params":{"handoffId":"` + h.id + `"}` + h.in)
				h.agent.Until(`"id":3,`)
				h.agent, h.in = h.attached(token)
				h.ask()
				opener = agentToken
			}
			if status, key, text := h.open(opener); status != http.StatusForbidden || key != "" {
				t.Errorf("the link opens: %d %s", status, text)
			}
			own := h.view(t, "", "T1", bearer(opener))
			own.untilPictures(1)
			own.say(`{"kind":"take"}`)
			own.until(map[string]any{"kind": "error", "message": relay.ErrOwnHandoff.Error()})
			other, in := h.attached(token) // of scope privileged
			h.taken()
			other.Send(`{"id":4,"method":"Runtime.evaluate","params":{"expression":"1"}` + in)
			if got := other.Until(`"id":4,`); !strings.Contains(got, "paused: person with the link has the page") {
				t.Errorf("the token of the one who has asked reads meanwhile: %s", got)
			}
		})
	}
}
