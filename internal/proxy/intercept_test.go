package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// agent is the far end of a control connection.
type agent struct {
	t    *testing.T
	conn *wsconn.Conn
	news chan agentEvent
}

// connect connects an agent whose Target has one document.
func connect(t *testing.T, own, state string) *agent {
	t.Helper()
	conn, err := wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(own, "http")+"/__hub/control", http.Header{"Origin": {own}}, wsconn.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t, conn, make(chan agentEvent, 100)}
	go conn.Serve(t.Context(), func(message []byte) {
		var n agentEvent
		if json.Unmarshal(message, &n) == nil {
			a.news <- n
		}
	})
	a.say(`{"do":"state","target":"T","addresses":["%s/page"],%s}`, own, state)
	a.hear("state")
	return a
}

func (a *agent) say(format string, args ...any) {
	a.conn.Deliver(wire.Frame{Body: fmt.Appendf(nil, format, args...)})
}

// hear returns the next message, which must be of this kind.
func (a *agent) hear(what string) agentEvent {
	a.t.Helper()
	select {
	case n := <-a.news:
		if n.What != what {
			a.t.Fatalf("heard %+v, want %s", n, what)
		}
		return n
	case <-time.After(10 * time.Second):
		a.t.Fatalf("never heard %s", what)
		return agentEvent{}
	}
}

// later makes a request of an element of the Target's document.
func later(t *testing.T, method, address string, headers ...string) <-chan string {
	t.Helper()
	answer := make(chan string, 1)
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	go func() {
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			answer <- "error"
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		answer <- fmt.Sprintf("%d %s %s", res.StatusCode, res.Header.Get("X-A"), body)
	}()
	return answer
}

// echo is an app that answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("X-A", "app")
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL, r.Header.Get("X-Added"), body)
}

// TestHold decides on requests in all the ways there are.
func TestHold(t *testing.T) {
	own, _ := serve(t, echo, nil)
	a := connect(t, own, `"hold":true,"tell":true`)
	image := []string{"Sec-Fetch-Dest: image", "Sec-Fetch-Mode: no-cors", "Referer: " + own + "/page"}
	for _, c := range []struct {
		orders []string
		want   string
	}{
		{[]string{`"do":"go"`}, "200 app GET /i.png  "},
		{[]string{`"do":"go","url":"` + own + `/j?x","method":"POST","headers":[["X-Added","1"]],"body":"aGk="`}, "200 app POST /j?x 1 hi"},
		{[]string{`"do":"fulfill","status":418,"headers":[["X-A","client"]],"body":"aGk="`}, "418 client hi"},
		{[]string{`"do":"fail","error":"net::ERR_FAILED"`}, "error"},
		{[]string{`"do":"go","see":true`, `"do":"go"`}, "200 app GET /i.png  "},
		{[]string{`"do":"go","see":true`, `"do":"body"`, `"do":"fulfill","status":201,"headers":[["X-A","seen"]]`}, "201 seen GET /i.png  "},
		{[]string{`"do":"go","see":true`, `"do":"fail","error":"net::ERR_FAILED"`}, "error"},
	} {
		answer := later(t, "GET", own+"/i.png", image...)
		n := a.hear("request")
		if n.URL != own+"/i.png" || n.Dest != "image" || !n.Held || n.Referrer != own+"/page" {
			t.Errorf("told of %+v", n)
		}
		for i, order := range c.orders {
			if i == 1 && !a.hear("response").Held {
				t.Error("the response is not held")
			}
			if i == 2 {
				if got := string(a.hear("body").Body); got != "GET /i.png  " {
					t.Errorf("the body seen is %q", got)
				}
			}
			a.say(`{"id":"%s",%s}`, n.ID, order)
		}
		if got := <-answer; got != c.want {
			t.Errorf("%s: %q, want %q", c.orders, got, c.want)
		}
		if strings.Contains(c.orders[len(c.orders)-1], "fail") {
			a.hear("failed")
			continue
		}
		a.hear("response")
		a.hear("end")
	}
	// The browser's own question before a request of script is an event, as in Chromium: a client answers it.
	ask := later(t, "OPTIONS", own+"/x", "Sec-Fetch-Dest: empty", "Sec-Fetch-Mode: cors", "Referer: "+own+"/page",
		"Access-Control-Request-Method: PUT")
	n := a.hear("request")
	a.say(`{"id":"%s","do":"fulfill","status":204,"headers":[["X-A","client"]]}`, n.ID)
	if got := <-ask; got != "204 client " || n.Method != "OPTIONS" || !n.Held {
		t.Errorf("a preflight gets %q after %+v", got, n)
	}
	a.hear("response")
	a.hear("end")
	// Of what script asks for its headers are told, and without the agent nothing waits.
	if got := <-later(t, "GET", own+"/x", "Sec-Fetch-Dest: empty", "Referer: "+own+"/page"); got != "200 app GET /x  " {
		t.Errorf("a script gets %q", got)
	}
	if n := a.hear("extra"); n.URL != own+"/x" || n.Sent["Referer"] == "" || n.Headers["x-a"] != "app" {
		t.Errorf("of a script's request is told %+v", n)
	}
	// Of one that names no document, as to another origin, each agent is told.
	b := connect(t, own, `"target":"B","hold":true,"tell":true,"addresses":["`+own+`/b"]`)
	<-later(t, "GET", own+"/y", "Sec-Fetch-Dest: empty", "Referer: http://localhost/")
	for _, agent := range []*agent{a, b} {
		if n := agent.hear("extra"); n.URL != own+"/y" || n.Sent["Referer"] != "http://localhost/" {
			t.Errorf("of a request of one of two documents is told %+v", n)
		}
	}
	b.conn.Close(wsconn.ReasonShutdown)
	answer := later(t, "GET", own+"/i.png", image...)
	a.hear("request")
	a.conn.Close(wsconn.ReasonShutdown)
	if got := <-answer; got != "200 app GET /i.png  " {
		t.Errorf("without an agent: %q", got)
	}
	if got := <-later(t, "GET", own+"/x", "Sec-Fetch-Dest: empty", "Referer: "+own+"/page"); got != "200 app GET /x  " {
		t.Errorf("a script whose agent has gone gets %q", got)
	}
}

// TestR299PausedRequestsHideCookies sends a secret in each header field that page script must
// not see (RFC 6265, section 4.1.2.6), and pauses request and response.
func TestR299PausedRequestsHideCookies(t *testing.T) {
	own, _ := serve(t, answer(200, "", "Set-Cookie: s=secret; Path=/; httponly", "Set-Cookie: open=1", "Set-Cookie: u=secret;HttpOnly"), nil)
	a := connect(t, own, `"hold":true,"tell":true`)
	for _, last := range []string{`"do":"go"`, `"do":"fulfill","status":201,"headers":[["X-A","seen"],["Set-Cookie","open=2"]]`, `"do":"fulfill","status":201,"headers":[],"body":"aGk="`} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, own+"/i.png", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Sec-Fetch-Dest": {"image"}, "Referer": {own + "/page"}, "Cookie": {"s=secret"}, "Sec-Fetch-Mode": {"no-cors"}}
		cookies := make(chan []string, 1)
		go func() {
			if res, err := http.DefaultTransport.RoundTrip(req); err == nil {
				res.Body.Close()
				cookies <- res.Header["Set-Cookie"]
			}
		}()
		for _, event := range []struct{ what, order string }{{"request", `"do":"go","see":true`}, {"response", last}, {"response", ""}} {
			n := a.hear(event.what)
			if text := fmt.Sprintf("%+v", n); strings.Contains(text, "secret") || n.Headers["sec-fetch-mode"] != "" || event.what == "request" && n.Headers["cookie"] != "" {
				t.Errorf("%s: the agent hears %s", last, text)
			}
			if event.order != "" {
				a.say(`{"id":"%s",%s}`, n.ID, event.order)
			}
		}
		a.hear("end")
		// What the agent has not seen, it cannot take away.
		if got := fmt.Sprint(<-cookies); !strings.Contains(got, "s=secret") || !strings.Contains(got, "u=secret") {
			t.Errorf("%s: the browser gets the cookies %s", last, got)
		}
	}
}

// TestHoldDocuments follows a navigation of the main frame.
func TestHoldDocuments(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/to", http.StatusFound)
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		default:
			echo(w, r)
		}
	}, nil)
	a := connect(t, own, `"hold":true,"extra":{"X-Added":"all"}`)
	visit := func(path string, headers ...string) (<-chan string, agentEvent) {
		answer := later(t, "GET", own+path, append(headers, "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate")...)
		return answer, a.hear("request")
	}
	a.say(`{"do":"navigate","url":"%s/from#x"}`, own)
	answer, n := visit("/from")
	a.say(`{"id":"%s","do":"go"}`, n.ID)
	if <-answer; !n.Main {
		t.Errorf("told of %+v", n)
	}
	a.hear("response")
	a.hear("end")
	answer, n = visit("/to")
	if !n.Main || len(n.Redirects) != 1 {
		t.Errorf("told of the redirect as %+v", n)
	}
	a.say(`{"id":"%s","do":"go"}`, n.ID)
	text := <-answer
	if came := cameAs(t, text); !came.Announced || len(came.Redirects) != 1 || !came.Redirects[0].Announced || !strings.Contains(text, "GET /to all") {
		t.Errorf("the document: %s", text)
	}
	a.hear("response")
	a.hear("end")

	for _, late := range []bool{true, false} { // the announcement may come after the request
		announce := func(due bool) {
			if due {
				a.say(`{"do":"navigate","url":"%s/nothing"}`, own)
			}
		}
		announce(!late)
		_, n = visit("/nothing", "Referer: "+own+"/page")
		announce(late)
		a.say(`{"id":"%s","do":"go"}`, n.ID)
		a.hear("response")
		if end := a.hear("failed"); n.Main == late || end.Error != "net::ERR_ABORTED" {
			t.Errorf("late %t: no document: %+v, of the request %+v", late, end, n)
		}
	}
	a.say(`{"do":"navigate","url":"%s/x"}`, own)
	answer, n = visit("/x")
	a.say(`{"id":"%s","do":"fail","error":"net::ERR_BLOCKED_BY_CLIENT"}`, n.ID)
	if came := cameAs(t, <-answer); came.Error != "net::ERR_BLOCKED_BY_CLIENT" {
		t.Errorf("a document that a client has failed: %+v", came)
	}
}

// TestControlIsForOwnPages checks who may connect: of the documents of opaque
// origins those alone that know the key, which the agent in a document of the app has.
func TestControlIsForOwnPages(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }, nil)
	_, tag, _ := strings.Cut(<-later(t, "GET", own+"/", "Sec-Fetch-Dest: iframe"), `data-proxy-key="`)
	key, _, found := strings.Cut(tag, `"`)
	if !found || len(key) < 26 {
		t.Fatalf("the key is %q", key)
	}
	for _, tt := range []struct {
		from, key string
		want      bool
	}{
		{own, "", true},
		{host, "", true},
		{"null", key, true},
		{"null", "", false},
		{"null", key[1:], false},
		{"http://evil.example", "", false},
		{"http://evil.example", key, false},
		{"", key, false},
	} {
		address := "ws" + strings.TrimPrefix(own, "http") + "/__hub/control?key=" + tt.key
		conn, err := wsconn.Dial(t.Context(), address, http.Header{"Origin": {tt.from}}, wsconn.Limits{})
		if (err == nil) != tt.want {
			t.Errorf("%q, key %q: %v", tt.from, tt.key, err)
		}
		if err == nil {
			conn.Close(wsconn.ReasonShutdown)
			conn.Serve(t.Context(), func([]byte) {})
		}
	}
}

// TestOffline checks that a Target that is offline gets nothing.
func TestOffline(t *testing.T) {
	own, _ := serve(t, echo, nil)
	connect(t, own, `"offline":true`)
	if got := <-later(t, "GET", own+"/x", "Sec-Fetch-Dest: empty", "Referer: "+own+"/page"); got != "error" {
		t.Errorf("offline: %q", got)
	}
	if got := <-later(t, "GET", own+"/x", "Sec-Fetch-Dest: empty", "Referer: "+own+"/other"); got != "200 app GET /x  " {
		t.Errorf("another Target: %q", got)
	}
}

// TestBacklog checks that what a document asks for before its agent is there
// is told to that agent, and waits for nobody.
func TestBacklog(t *testing.T) {
	own, _ := serve(t, echo, nil)
	a := connect(t, own, `"tell":true`)
	a.say(`{"do":"navigate","url":"%s/next"}`, own)
	<-later(t, "GET", own+"/next", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate")
	for _, what := range []string{"request", "response", "end"} {
		a.hear(what)
	}
	if got := <-later(t, "GET", own+"/i.png", "Sec-Fetch-Dest: image", "Referer: "+own+"/next"); got != "200 app GET /i.png  " {
		t.Errorf("an image is %q", got)
	}
	a.conn.Close(wsconn.ReasonShutdown)
	next, err := wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(own, "http")+"/__hub/control", http.Header{"Origin": {own}}, wsconn.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	b := &agent{t, next, make(chan agentEvent, 100)}
	go next.Serve(t.Context(), func(message []byte) {
		var n agentEvent
		if json.Unmarshal(message, &n) == nil {
			b.news <- n
		}
	})
	b.say(`{"do":"state","target":"T","addresses":["%s/next"],"tell":true}`, own)
	if n := b.hear("request"); n.URL != own+"/i.png" || n.Held {
		t.Errorf("told of %+v", n)
	}
	for _, what := range []string{"response", "end", "state"} {
		b.hear(what)
	}
}

// TestR389FreshCookies lets a request go on after a cookie has changed.
func TestR389FreshCookies(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-A", r.Header.Get("Cookie"))
	}, nil)
	a := connect(t, own, `"hold":true`)
	for _, c := range [][2]string{
		{`,"cookies":"open=2; other=1"`, "hidden=0; open=2"},
		{"", "hidden=0; open=1"},
	} {
		got := later(t, "GET", own+"/i.png", "Sec-Fetch-Dest: image", "Referer: "+own+"/page", "Cookie: hidden=0; open=1")
		a.say(`{"id":"%s","do":"go"%s}`, a.hear("request").ID, c[0])
		if text := <-got; !strings.Contains(text, " "+c[1]+" ") {
			t.Errorf("with %q the app gets the cookies %q, want %q", c[0], text, c[1])
		}
		a.hear("response")
		a.hear("end")
	}
}
