package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// named connects to a named session by a query.
func (s started) namedClient(t *testing.T, query, token string) *far {
	t.Helper()
	var header http.Header
	if token != "" {
		header = bearer(token)
	}
	return dial(t, "ws://"+s.addr(false)+"/devtools/browser?"+query, header)
}

// refusal is the answer to a handshake for a named session.
func (s started) refusal(t *testing.T, path, token string) said {
	t.Helper()
	var lines []string
	if token != "" {
		lines = []string{"Authorization: Bearer " + token}
	}
	return raw(t, s.addr(false), handshake(path, lines...))
}

// streamOf reads the stream of CdpHub.session.
func streamOf(t *testing.T, m string) string {
	t.Helper()
	_, stream, there := strings.Cut(m, `{"method":"CdpHub.session","params":{"session":"work","stream":"`)
	stream, _, _ = strings.Cut(stream, `"`)
	if !there || stream == "" {
		t.Fatalf("this is no CdpHub.session: %s", m)
	}
	return stream
}

// ends asks the server to end a named session.
func (s started) ends(t *testing.T, name, token string) int {
	t.Helper()
	return endsAt(t, s.addr(false), name, token)
}

// endsAt asks some listener to.
func endsAt(t *testing.T, addr, name, token string) int {
	t.Helper()
	lines := []string{"Host: localhost"}
	if token != "" {
		lines = append(lines, "Authorization: Bearer "+token)
	}
	at, hub := addr, ""
	if i := strings.Index(addr, "/hub/"); i >= 0 {
		at, hub = addr[:i], addr[i:]
	}
	return hubtest.Raw(t, at, hubtest.Request("DELETE "+hub+"/sessions/"+name+" HTTP/1.1", lines...)).Status
}

// awaitAway waits until a named session has lost its connection.
func (s started) awaitAway(t *testing.T, token string) {
	t.Helper()
	await(t, "the session has no connection", func() bool {
		_, body := s.get(t, s.addr(false), "/sessions", bearer(token))
		return strings.Contains(body, `"awaySince"`)
	})
}

// TestR201NamesAreOfOneToken has two tokens use the same name, and guess.
func TestR201NamesAreOfOneToken(t *testing.T) {
	change, _ := withFile(t, "tokens:\n  - {name: a, token: "+ownToken+", role: client, scope: full}\n  - {name: b, token: "+strangerToken+", role: client, scope: full}\n"+
		"  - {name: c, token: "+everyToken+", role: client, scope: full, hub: other}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, change)
	s.paired(t, hostToken)
	c := s.namedClient(t, "session=work&resume=on", ownToken)
	stream := streamOf(t, c.next())
	c.attach()

	there := s.refusal(t, "/devtools/browser?session=work&resume="+stream+".0", strangerToken)
	guessed := s.refusal(t, "/devtools/browser?session=none&resume="+stream+".0", strangerToken)
	if there.status != http.StatusForbidden || guessed.status != there.status || guessed.body != there.body {
		t.Errorf("another token gets %d %q, and for a name that is not there %d %q", there.status, there.body, guessed.status, guessed.body)
	}
	if got := s.refusal(t, "/devtools/browser?session=work&resume="+stream+".0", ""); got.status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", got.status)
	}
	if got := s.refusal(t, "/hub/other/devtools/browser?session=work&resume="+stream+".0", everyToken); got.status != http.StatusForbidden {
		t.Errorf("at another hub: %d", got.status)
	}
	if _, body := s.get(t, s.addr(false), "/sessions", bearer(strangerToken)); body != `{"sessions":[]}`+"\n" {
		t.Errorf("another token lists %s", body)
	}
	if _, body := s.get(t, s.addr(false), "/ui/api/state", bearer(strangerToken)); !strings.Contains(body, `"named":[]`) {
		t.Errorf("the dashboard of another token has %s", body)
	}
	if _, body := s.get(t, s.addr(false), "/ui/api/state", bearer(ownToken)); !strings.Contains(body, `"name":"work","client":"a #`) {
		t.Errorf("the dashboard has %s", body)
	}
	if none, others := s.ends(t, "none", strangerToken), s.ends(t, "work", strangerToken); none != http.StatusNotFound || others != none {
		t.Errorf("another token ends it: %d, and one that is not there: %d", others, none)
	}
	// The name of another token's session is free.
	b := s.namedClient(t, "session=work", strangerToken)
	b.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":false}}`)
	b.wants(`{"id":1,"result":{}}`)
	if status := s.ends(t, "work", strangerToken); status != http.StatusNoContent {
		t.Errorf("its own: %d", status)
	}
	c.send(`{"id":5,"method":"Target.setDiscoverTargets","params":{"discover":false}}`)
	c.wants(`{"id":5,"result":{}}`)
}

// TestR202EndedSessions wants no session to be replaced unasked.
func TestR202EndedSessions(t *testing.T) {
	s, admin := startAdmin(t, nil)
	s.host(t)
	c := s.namedClient(t, "session=work&resume=on", "")
	stream := streamOf(t, c.next())
	_, body := s.get(t, admin, "/hubs", nil)
	_, id, _ := strings.Cut(body, `"named":[{"hub":"","id":"`)
	id, _, _ = strings.Cut(id, `"`)
	if status := endsAt(t, admin, id, ""); status != http.StatusNoContent {
		t.Errorf("an operator ends %q: %d", id, status)
	}
	if why := c.reason(); why.Code != wsconn.ReasonSessionEnded.Code {
		t.Errorf("the connection ended with %v", why)
	}
	for _, query := range []string{"", "&resume=on", "&resume=" + stream + ".0", "&grace=1m"} {
		if got := s.refusal(t, "/devtools/browser?session=work"+query, ""); got.status != http.StatusGone || !strings.Contains(got.body, "fresh=true") {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
	c = s.namedClient(t, "session=work&fresh=true", "")
	c.attach()
	// A fresh one ends what there is.
	again := s.namedClient(t, "session=work&fresh=true&resume=on", "")
	if why := c.reason(); why.Code != wsconn.ReasonSessionTaken.Code {
		t.Errorf("the connection ended with %v", why)
	}
	if other := streamOf(t, again.next()); other == stream {
		t.Error("the stream is the same")
	}
}

// TestR202BrowserEnds has the browser of two sessions end, one of them without a
// connection.
func TestR202BrowserEnds(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers = fakeBrowsers(works, "mine") })
	socket := "ws://" + s.addr(false) + "/hub/mine/devtools/browser?session="
	here, away := dial(t, socket+"here&resume=on", nil), dial(t, socket+"away&resume=on", nil)
	for _, c := range []*far{here, away} {
		c.next()
		c.send(`{"id":1,"method":"Target.getTargets"}`)
		c.until(`"id":1`) // the browser takes no command, but the Client has a session there
	}
	away.Conn.Close(wsconn.ReasonGone)
	await(t, "one session has no connection", func() bool {
		_, body := s.get(t, s.addr(false), "/hub/mine/sessions", nil)
		return strings.Contains(body, `"awaySince"`)
	})
	s.browsers.End("mine")
	if why := here.reason(); why.Code != wsconn.ReasonSessionEnded.Code {
		t.Errorf("the connection ended with %v", why)
	}
	for _, name := range []string{"here", "away"} {
		await(t, "the session has ended", func() bool {
			got := s.refusal(t, "/hub/mine/devtools/browser?session="+name, "")
			return got.status == http.StatusGone && strings.Contains(got.body, "browser has ended")
		})
	}
}

// TestR203SessionsOfAToken opens as many as a token may have, and one more.
func TestR203SessionsOfAToken(t *testing.T) {
	s := start(t, func(o *Options) { o.Limits.MaxNamed = 3 })
	for n := range 3 {
		s.namedClient(t, fmt.Sprintf("session=n%d&resume=on", n), "").next() // it has begun
	}
	if got := s.refusal(t, "/devtools/browser?session=n3", ""); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "DELETE") {
		t.Errorf("one too many: %d %s", got.status, got.body)
	}
	s.ends(t, "n0", "")
	c := s.namedClient(t, "session=n3", "")
	c.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":false}}`)
	c.wants(`{"id":1,"result":{}}`)
}

// TestR204SessionsEndWithTheirToken revokes a token whose session has no connection.
func TestR204SessionsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	const host = "  - {token: " + hostToken + ", role: host}\n"
	change, rewrite := withFile(t, "tokens:\n  - {name: a, token: "+ownToken+", role: client, scope: readonly, session: work, grace: 1m}\n"+
		"  - {name: b, token: "+strangerToken+", role: client}\n"+host)
	s := start(t, change)
	s.paired(t, hostToken)
	c := s.namedClient(t, "resume=on", ownToken)
	stream := streamOf(t, c.next()) // the session that the token names
	if got := s.refusal(t, "/devtools/browser?grace=2m", ownToken); got.status != http.StatusBadRequest {
		t.Errorf("a longer grace time than the token's: %d %s", got.status, got.body)
	}
	tail := `,"sessionId":"` + c.attach() + `"}`
	c.Conn.Close(wsconn.ReasonGone)
	s.awaitAway(t, ownToken)
	c = s.namedClient(t, "resume="+stream+".2", ownToken)
	c.next()
	c.send(`{"id":3,"method":"Page.navigate","params":{"url":"http://app/2"}` + tail)
	if got := c.next(); !strings.Contains(got, `"error":{"code":-32000`) {
		t.Errorf("a token of scope readonly navigates: %s", got)
	}
	c.Conn.Close(wsconn.ReasonGone)
	s.awaitAway(t, ownToken)
	rewrite("tokens:\n  - {name: b, token: " + strangerToken + ", role: client}\n" + host)
	await(t, "the session has ended", func() bool { return s.Stats().Clients == 0 })
}

// TestR200QueriesOfSessions asks for sessions wrongly, and where there are none.
func TestR200QueriesOfSessions(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	for path, want := range map[string]int{
		"/devtools/browser?session=a/b":         http.StatusBadRequest,
		"/devtools/browser?session=":            http.StatusBadRequest,
		"/devtools/browser?grace=1m":            http.StatusBadRequest,
		"/devtools/browser?session=a&grace=31m": http.StatusBadRequest,
		"/cdp?session=a&resume=1":               http.StatusBadRequest,
		"/cdp?session=a&resume=S.1":             http.StatusForbidden,
		"/devtools/page/T1?session=a":           http.StatusBadRequest,
		"/ndjson?session=a":                     http.StatusBadRequest,
		"/bap?session=a":                        http.StatusBadRequest,
	} {
		if got := s.refusal(t, path, ""); got.status != want {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.body, want)
		}
	}
	if n := len(s.sessions()); n != 0 {
		t.Errorf("%d sessions have begun", n)
	}
	_, body := s.get(t, s.addr(false), "/json/version?session=a&grace=1m", nil)
	if want := `/devtools/browser?session=a\u0026grace=1m"`; !strings.Contains(body, want) && !strings.Contains(body, strings.ReplaceAll(want, `\u0026`, "&")) {
		t.Errorf("discovery says %s", body)
	}
}

// TestR204OwnTabsOfASession has a Client with tabs of its own come back to them, and a
// fresh session not have them.
func TestR204OwnTabsOfASession(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	sees := func(what string, c *far, want bool) {
		t.Helper()
		c.send(`{"id":1,"method":"Target.getTargets"}`)
		if got := c.until(`"id":1`); strings.Contains(got, `"T1"`) != want {
			t.Errorf("%s: %s", what, got)
		}
	}
	c := s.namedClient(t, "session=work&tabs=own", "")
	c.send(`{"id":2,"method":"CdpHub.getClients"}`)
	_, name, _ := strings.Cut(c.next(), `"you":"`)
	name, _, _ = strings.Cut(name, `"`)
	sees("at first", c, false)
	all := s.client(t)
	all.send(`{"id":3,"method":"CdpHub.grant","params":{"targetId":"T1","client":"` + name + `"}}`)
	all.wants(`{"id":3,"result":{}}`)
	sees("granted", c, true)
	c.Conn.Close(wsconn.ReasonGone)
	s.awaitAway(t, "")
	sees("come back", s.namedClient(t, "session=work&tabs=own", ""), true)
	sees("another name", s.namedClient(t, "session=other&tabs=own", ""), false)
	sees("a fresh one", s.namedClient(t, "session=work&tabs=own&fresh=true", ""), false)
	sees("come back to the fresh one", s.namedClient(t, "session=work&tabs=own", ""), false)
}

// TestR204SessionsEndWithTheirSandbox deletes a sandbox whose sessions are there, and away.
func TestR204SessionsEndWithTheirSandbox(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers = fakeBrowsers(works, "sandbox-*") })
	_, made := hubtest.MustPostJSON(t, "http://"+s.addr(false)+sandboxes.Path, nil, []byte("{}"))
	_, name, _ := strings.Cut(made, `"sandboxID":"`)
	name, _, _ = strings.Cut(name, `"`)
	socket := "ws://" + s.addr(false) + "/hub/" + name + "/cdp?session="
	here, away := dial(t, socket+"here", nil), dial(t, socket+"away", nil)
	away.Conn.Close(wsconn.ReasonGone)
	await(t, "one session has no connection", func() bool {
		_, body := s.get(t, s.addr(false), "/hub/"+name+"/sessions", nil)
		return strings.Contains(body, `"awaySince"`)
	})
	if !s.sandboxes.End(name) {
		t.Fatalf("there is no sandbox %q: %s", name, made)
	}
	if why := here.reason(); why.Code != wsconn.ReasonDeleted.Code && why.Code != wsconn.ReasonSessionEnded.Code {
		t.Errorf("the connection ended with %v", why)
	}
	await(t, "no session is left", func() bool { return len(s.sessions()) == 0 && s.Stats().Clients == 0 })
}

// sessions are all named sessions of a server.
func (s *Server) sessions() []named.Info {
	return s.named.List(func(named.Owner) bool { return true })
}
