package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// TestR147TabsAreHandedOverByTheDashboard gives a frame to a Client with tabs of its own
// and takes it away, as a person does, with each kind of token.
func TestR147TabsAreHandedOverByTheDashboard(t *testing.T) {
	const readerToken, standardToken = "token-of-a-reader-alone", "token-of-scope-standard"
	var log logtest.Buffer
	change, _ := withFile(t, "tokens:\n  - {name: own, token: "+ownToken+", role: client, scope: full, tabs: own}\n"+
		"  - {name: reader, token: "+readerToken+", role: client, scope: readonly}\n  - {name: some, token: "+standardToken+", role: client, scope: standard}\n"+
		"  - {name: all, token: "+everyToken+", role: client, scope: full}\n  - {token: "+hostToken+", role: host}\n")
	s := startLogged(t, logtest.Open(t, &log).Logger, func(f *Options) { change(f) })
	s.paired(t, hostToken)
	agent := dial(t, "ws://"+s.addr(false)+"/devtools/browser?name=agent", bearer(ownToken))
	agent.send(`{"id":1,"method":"CdpHub.getClients"}`)
	_, name, _ := strings.Cut(agent.next(), `"you":"`)
	name, _, _ = strings.Cut(name, `"`)
	sees := func() bool {
		agent.send(`{"id":2,"method":"Target.getTargets"}`)
		return strings.Contains(agent.next(), "http://app/1")
	}
	owns := func(token string) (list []string) {
		var state uiwire.State
		_, body := s.get(t, s.addr(false), "/ui/api/state", bearer(token))
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatal(err)
		}
		for _, c := range state.Hubs[0].OwnTabs {
			list = append(list, fmt.Sprint(c.Client, c.Tabs))
		}
		return list
	}
	post := func(what, token, target, client string) int {
		body, err := json.Marshal(map[string]string{"targetId": target, "client": client})
		if err != nil {
			t.Fatal(err)
		}
		status, _ := hubtest.MustPostJSON(t, "http://"+s.addr(false)+"/ui/api/"+what, bearer(token), body)
		return status
	}
	wants := func(what, token, target, client string, want int) {
		t.Helper()
		if got := post(what, token, target, client); got != want {
			t.Errorf("%s %s to %s with %s: %d, want %d", what, target, client, token, got, want)
		}
	}
	wants("grant", readerToken, "T1", name, http.StatusForbidden)
	wants("grant", standardToken, "T1", name, http.StatusForbidden)
	wants("grant", ownToken, "T1", name, http.StatusNotFound) // it does not see it
	wants("grant", strangerToken, "T1", name, http.StatusUnauthorized)
	wants("grant", everyToken, "T9", name, http.StatusNotFound)
	wants("grant", everyToken, "T1", "nobody #9", http.StatusConflict)
	if sees() || owns(readerToken) != nil || owns(standardToken) != nil || !slices.Equal(owns(everyToken), []string{name + "[]"}) {
		t.Errorf("before it is granted the Client sees it: %v; with tabs of their own are, for all %v, for a reader %v", sees(), owns(everyToken), owns(readerToken))
	}
	wants("grant", everyToken, "T1", name, http.StatusNoContent)
	log.Await(t, `"msg":"tab granted","target":"T1","client":"`+name+`","bearer":"all"`)
	if !sees() || !slices.Equal(owns(everyToken), []string{name + "[T1]"}) {
		t.Errorf("after it was granted: %v, %v", sees(), owns(everyToken))
	}
	wants("revoke", ownToken, "T1", name, http.StatusForbidden)
	wants("revoke", everyToken, "T1", name, http.StatusNoContent)
	log.Await(t, `"msg":"tab revoked","target":"T1"`)
	if sees() {
		t.Error("after it was taken away the Client sees it")
	}
	if status, _ := s.get(t, s.addr(false), "/ui/api/grant", bearer(everyToken)); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", status)
	}
	header := bearer(everyToken)
	header.Set("Origin", "https://evil.example")
	if status, _ := hubtest.MustPostJSON(t, "http://"+s.addr(false)+"/ui/api/grant", header, []byte(`{}`)); status != http.StatusForbidden {
		t.Errorf("a foreign page: %d", status)
	}
}

// TestR172OwnTabsHideOtherClients has a Client come and go, beside a token that sees its
// own tabs alone, and one that sees all.
func TestR172OwnTabsHideOtherClients(t *testing.T) {
	change, _ := withFile(t, "tokens:\n  - {name: own, token: "+ownToken+", role: client, tabs: own}\n"+
		"  - {name: all, token: "+everyToken+", role: client}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, func(f *Options) { change(f) })
	s.paired(t, hostToken)
	gone := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(everyToken))
	gone.Conn.Close(wsconn.Reason{Code: 1000})
	stays := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(everyToken))
	stays.send(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	stays.next()
	state := func(token string) (state uiwire.State) {
		_, body := s.get(t, s.addr(false), "/ui/api/state", bearer(token))
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatal(err)
		}
		return state
	}
	hubtest.Eventually(t, "the end of a Client", func() bool { return len(state(everyToken).Closes) == 1 })
	if hub := state(everyToken).Hubs[0]; hub.Clients != 1 || hub.Sessions != 1 || hub.Counters == (uiwire.Counters{}) {
		t.Errorf("a token that sees all: %+v", hub)
	}
	own := state(ownToken)
	if hub := own.Hubs[0]; hub.Clients != 0 || hub.Sessions != 0 || hub.Counters != (uiwire.Counters{}) || len(own.Closes) != 0 {
		t.Errorf("a token that sees its own tabs: %+v", own)
	}
	dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(ownToken))
	dial(t, "ws://"+s.addr(false)+"/ui/api/view?target=T1", bearer(everyToken)) // which is nobody's program
	hubtest.Eventually(t, "the Client of a view", func() bool {
		hub, release := s.hubs.Peek(relay.DefaultHub)
		defer release()
		return hub.Clients() == 3
	})
	for token, want := range map[string]int{everyToken: 2, ownToken: 1} {
		s.wantClients(t, token, want)
	}
}

// wantClients wants every place that tells the number of Clients to tell the same one.
func (s started) wantClients(t *testing.T, token string, want int) {
	t.Helper()
	number := regexp.MustCompile(fmt.Sprintf(`"clients":%d\b`, want))
	for _, path := range []string{"/icdp/status", "/home.json", "/ui/api/state"} {
		if _, body := s.get(t, s.addr(false), path, bearer(token)); !number.MatchString(body) {
			t.Errorf("%s: %s, want %d Clients", path, body, want)
		}
	}
}
