package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// screen is a Host with one target, T1, that sends a picture for each that was
// acknowledged, and answers everything else with {}.
type screen struct {
	*far
	started, pictures, inputs atomic.Int64
}

// aPicture is a JPEG in base64.
var aPicture = func() string {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}()

func (s started) screen(t *testing.T, prefix string, header http.Header) *screen {
	t.Helper()
	p, connected := new(screen), make(chan struct{})
	picture := `{"kind":"event","targetId":"T1","method":"Page.screencastFrame","params":{"data":"` + aPicture +
		`","metadata":{"offsetTop":0,"pageScaleFactor":1,"deviceWidth":800,"deviceHeight":600},"sessionId":1}}`
	p.far = dialTo(t, "ws://"+s.addr(true)+prefix+"/icdp/host", header, func(m []byte) {
		<-connected
		var c struct {
			Kind, SessionID, Method string
			ID                      int
		}
		if err := json.Unmarshal(m, &c); err != nil || c.Kind != "command" {
			return
		}
		p.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":{}}`, c.SessionID, c.ID))
		switch {
		case c.Method == "Page.startScreencast":
			p.started.Add(1)
			fallthrough
		case c.Method == "Page.screencastFrameAck":
			p.pictures.Add(1)
			p.send(picture)
		case strings.HasPrefix(c.Method, "Input."):
			p.inputs.Add(1)
		}
	})
	close(connected)
	p.send(ready)
	return p
}

const (
	readToken  = "token-that-only-reads"
	otherToken = "token-of-the-hub-one"
)

// withReaders has tokens of several scopes and hubs.
func withReaders(t *testing.T) (change func(*Options), rewrite func(string)) {
	return withFile(t, strings.NewReplacer("CLIENT", clientToken, "HOST", hostToken, "READ", readToken, "OTHER", otherToken).Replace(`tokens:
- {name: ann, token: CLIENT, role: client, hub: "", scope: full}
- {name: reader, token: READ, role: client, hub: "", scope: readonly}
- {name: other, token: OTHER, role: client, hub: one, scope: full}
- {name: host, token: HOST, role: host, hub: "*"}
`))
}

// guardedScreen is a Host with the token of withReaders, whose T1 the dashboard shows.
func (s started) guardedScreen(t *testing.T) *screen {
	t.Helper()
	host := s.screen(t, "", bearer(hostToken))
	hubtest.Eventually(t, "the target", func() bool {
		_, body := s.get(t, s.addr(false), "/ui/api/state", bearer(clientToken))
		return strings.Contains(body, `"targetId":"T1"`)
	})
	return host
}

func TestR170ReadonlyViewsAndDoesNotAct(t *testing.T) {
	change, _ := withReaders(t)
	s := start(t, change)
	host := s.screen(t, "", bearer(hostToken))
	hubtest.Eventually(t, "the target", func() bool {
		_, body := s.get(t, s.addr(false), "/ui/api/state", bearer(readToken))
		return strings.Contains(body, `"targetId":"T1"`) && strings.Contains(body, `"control":false`) && strings.Contains(body, `"scope":"readonly"`)
	})
	v := s.view(t, "", "T1", bearer(readToken))
	v.until(map[string]any{"kind": "view", "control": false})
	v.untilPictures(2)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "error", "message": "not allowed: a token needs scope standard or more to act on pages"})
	for _, m := range []string{
		`{"kind":"mouse","type":"mousePressed","x":1,"y":1,"button":"left"}`, `{"kind":"key","type":"keyDown","key":"a","text":"a"}`,
		`{"kind":"paste","text":"a"}`, `{"kind":"release"}`, `{"kind":"dialog","accept":true}`,
	} {
		v.say("%s", m)
		v.until(map[string]any{"kind": "error", "message": "take over the page first: a viewer cannot act on it"})
	}
	v.say(`{"kind":"done"}`)
	v.until(map[string]any{"kind": "error", "message": "not allowed: a token needs scope standard or more to answer an agent"})
	if n := host.inputs.Load(); n != 0 {
		t.Errorf("%d inputs reached the page", n)
	}
	// Who may act does, and only while nobody else has the page.
	ann := s.view(t, "", "T1", bearer(clientToken))
	ann.until(map[string]any{"kind": "view", "control": true})
	ann.say(`{"kind":"paste","text":"a"}`)
	ann.until(map[string]any{"kind": "error"})
	ann.say(`{"kind":"take"}`)
	ann.until(map[string]any{"kind": "holder", "name": "ann", "mine": true})
	v.until(map[string]any{"kind": "holder", "name": "ann", "mine": false})
	ann.say(`{"kind":"paste","text":"a"}`)
	hubtest.Eventually(t, "an input", func() bool { return host.inputs.Load() == 1 })
}

func TestR171DashboardAnswersItsOwnOriginAlone(t *testing.T) {
	s := start(t, func(o *Options) { o.ClientOrigins = []string{"https://friend.example"} })
	s.screen(t, "", nil)
	addr := s.addr(false)
	s.awaitTarget(t, "", "T1")
	for _, path := range []string{"/ui/api/state", "/ui/api/events", "/ui/api/view?target=T1"} {
		for origin, good := range map[string]bool{
			"http://localhost": true, "https://evil.example": false, "null": false, "https://friend.example": false, "https://localhost": false, "http://" + addr: false,
		} {
			request := asking("GET "+path+" HTTP/1.1", "Host: localhost", "Origin: "+origin)
			if strings.Contains(path, "view") {
				request = handshake(path, "Origin: "+origin)
			}
			if strings.Contains(path, "events") && good {
				continue // it would never end
			}
			got := raw(t, addr, request)
			if ok := got.status == 200 || got.status == 101; ok != good {
				t.Errorf("%s from %s: %d %s", path, origin, got.status, got.body)
			}
		}
		if got := raw(t, addr, asking("GET "+path+" HTTP/1.1", "Host: "+addr, "Sec-Fetch-Site: cross-site")); got.status != 403 {
			t.Errorf("%s from another site: %d", path, got.status)
		}
	}
	off := false
	s = start(t, func(o *Options) { o.UI = &off })
	if status, _ := s.get(t, s.addr(false), "/ui/api/state", nil); status != 404 {
		t.Errorf("without --ui: %d", status)
	}
}

func TestR172DashboardShowsWhatTheTokenMaySee(t *testing.T) {
	change, _ := withReaders(t)
	s := start(t, change)
	s.guardedScreen(t)
	none := raw(t, s.addr(false), handshake("/ui/api/view?target=T9", "Authorization: Bearer "+clientToken))
	if none.status != 404 {
		t.Errorf("an unknown target: %d", none.status)
	}
	for _, tc := range []struct {
		path, token string
		status      int
	}{
		{"/ui/api/view?target=T1", otherToken, 401},
		{"/hub/one/ui/api/view?target=T1", otherToken, 404}, // of another hub
		{"/ui/api/view?target=", clientToken, 404},
		{"/ui/api/view", clientToken, 404},
		{"/ui/api/view?target=T1&token=" + clientToken, "", 401},
	} {
		var lines []string
		if tc.token != "" {
			lines = append(lines, "Authorization: Bearer "+tc.token)
		}
		got := raw(t, s.addr(false), handshake(tc.path, lines...))
		if got.status != tc.status {
			t.Errorf("%s with %s: %d %s, want %d", tc.path, tc.token, got.status, got.body, tc.status)
		}
		if tc.status == 404 && got.body != none.body {
			t.Errorf("%s: %q, want what an unknown target gets", tc.path, got.body)
		}
	}
	if _, body := s.get(t, s.addr(false), "/hub/one/ui/api/state", bearer(otherToken)); strings.Contains(body, "T1") || strings.Count(body, `"path"`) != 1 {
		t.Errorf("the token of one hub sees %s", body)
	}
}

func TestR173ViewsEndWithTheirToken(t *testing.T) {
	change, rewrite := withReaders(t)
	s := start(t, change)
	s.guardedScreen(t)
	v := s.view(t, "", "T1", bearer(readToken))
	v.untilPictures(1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr(false)+"/ui/api/events", nil)
		req.Header = bearer(readToken)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		for b := make([]byte, 4096); err == nil; {
			_, err = res.Body.Read(b)
		}
	}()
	rewrite("tokens:\n- {name: host, token: " + hostToken + ", role: host, hub: \"*\"}\n")
	s.Reload()
	if why := <-v.closed; why.Code != wsconn.ReasonTokenRevoked.Code {
		t.Errorf("the view ended with %v", why)
	}
	select {
	case <-ended:
	case <-time.After(hubtest.Within):
		t.Error("the stream of events goes on")
	}
}

// TestR174ViewersCostLittle has 1,000 viewers, of whom one acknowledges: there is one
// capture, and the others get two pictures each.
func TestR174ViewersCostLittle(t *testing.T) {
	s := start(t, shortDrain)
	host := s.screen(t, "", nil)
	s.awaitTarget(t, "", "T1")
	idle := make([]*viewing, 999)
	for i := range idle {
		idle[i] = s.viewing(t, "", "T1", nil, false)
	}
	v := s.view(t, "", "T1", nil)
	v.say(`{"kind":"size","width":800,"height":600,"fps":30}`)
	v.untilPictures(12)
	for _, w := range idle {
		w.untilPicturesAre(2)
	}
	if n := host.started.Load(); n > 3 { // anew for another size
		t.Errorf("%d captures", n)
	}
	if n := s.Stats().Clients; n != 1 {
		t.Errorf("%d Clients look", n)
	}
	v.conn.Close(wsconn.ReasonNormal)
	<-v.closed
	before := host.pictures.Load()
	hubtest.Eventually(t, "rest", func() bool {
		now := host.pictures.Load()
		defer func() { before = now }()
		time.Sleep(300 * time.Millisecond) // of the capture's own pace
		return now == before
	})
	for _, w := range idle {
		w.untilPicturesAre(2)
		w.conn.Close(wsconn.ReasonNormal)
	}
	hubtest.Eventually(t, "the end of the capture", func() bool { return s.Stats().Clients == 0 })
}

// untilPicturesAre waits until so many pictures have come; there are never more.
func (v *viewing) untilPicturesAre(n int) {
	v.t.Helper()
	v.untilPictures(n)
	if got := v.count(); got != n {
		v.t.Fatalf("%d pictures without an acknowledgement, want %d", got, n)
	}
}

func TestR176AuditLog(t *testing.T) {
	var b logtest.Buffer
	change, _ := withReaders(t)
	s := startLogged(t, logtest.Open(t, &b).Logger, change)
	s.guardedScreen(t)
	v := s.view(t, "", "T1", bearer(clientToken))
	v.untilPictures(1)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	v.say(`{"kind":"paste","text":"correct horse battery"}`)
	v.say(`{"kind":"key","type":"keyDown","key":"a","text":"correct horse battery"}`)
	v.say(`{"kind":"nonsense","text":"correct horse battery"}`)
	v.say(`{"kind":"release"}`)
	v.until(map[string]any{"kind": "holder", "name": ""})
	v.conn.Close(wsconn.ReasonNormal)
	b.Await(t, `"view ends"`)
	for _, want := range []string{
		`"logger":"audit","msg":"view begins","target":"T1","bearer":"ann","hub":"","peer":"127.0.0.1`,
		`"msg":"page taken over","target":"T1","bearer":"ann"`, `"msg":"page handed back","target":"T1","why":"released","duration":`,
		`"msg":"view ends","target":"T1","duration":`,
	} {
		b.Await(t, want)
	}
	if strings.Contains(b.String(), "correct horse") || strings.Contains(b.String(), clientToken) {
		t.Errorf("the log has what was typed, or a token:\n%s", &b)
	}
}
