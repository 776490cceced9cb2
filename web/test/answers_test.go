package webtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/methods"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// refusal is how a method says that it is not there, or cannot be done. Any other
// error is one about its params, so that the method is there.
var refusal = regexp.MustCompile(`wasn't found|is not possible|^Not allowed`)

// TestAnswers sends every method of the protocol at every level, and compares the answers with the table of package methods: what
// is in the table is not refused unless it says so, and what does nothing by contract is answered with success.
func TestAnswers(t *testing.T) {
	rows, err := methods.Read()
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]methods.Method{}
	for _, row := range rows {
		table[row.Name] = row
	}
	w := newWalk(t)
	for _, m := range readProtocol(t) {
		for level, name := range methods.Levels {
			step, found := table[m.name].First(level)
			answered := found && (step.Done() || step.Inert != "")
			result, err := w.send(name, m)
			refused := err != nil && refusal.MatchString(err.Error())
			switch {
			case refused == answered:
				t.Errorf("%s at the level %q is answered by %+v in the table, and in fact: %s %v", m.name, name, step, result, err)
			case step.Inert != "" && err != nil:
				t.Errorf("%s at the level %q does nothing, but fails: %v", m.name, name, err)
			case refused && found && !strings.Contains(err.Error(), step.Refused):
				t.Errorf("%s at the level %q is refused for another reason than %q: %v", m.name, name, step.Refused, err)
			}
		}
	}
}

// walk sends methods, each in a session of its own.
type walk struct {
	t      *testing.T
	client *relay.Local
	app    string
	target string // the frame
	tab    string // the tab around it
	worker string // a session on a worker of it
}

// newWalk starts a hub with a frame of the ready-made Host page.
func newWalk(t *testing.T) *walk {
	w := &walk{t: t}
	serve := func(o server.Options) *server.Server {
		s, err := server.New(o)
		if err != nil {
			t.Fatal(err)
		}
		hubtest.Run(t, s.Run)
		return s
	}
	s := serve(server.Options{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", Drain: 5 * time.Second, UploadDir: t.TempDir()})
	// The browser of a hub may not open what its own server serves.
	user := serve(server.Options{NoListeners: true, Browsers: &server.Browsers{Chrome: chrome.Options{URL: browsertest.Borrow(t)}, Hubs: []string{"chromium"}, Max: 1, Idle: time.Minute}})
	host := "http://" + s.HostAddr()
	app := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(out, `<!doctype html><title>Walk</title><script src="%s/agent.js" data-parents="%s"></script><button style="width:90px">Push</button>`, host, host)
	}))
	t.Cleanup(app.Close)
	w.app = app.URL + "/"
	b, err := actions.Open(t.Context(), user.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if _, err := b.NewPage(t.Context(), host+"/shell?app="+url.QueryEscape(w.app), ""); err != nil {
		t.Fatal(err)
	}
	hub, release, err := s.Hub(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	attached := make(chan string, 100)
	if w.client, err = hub.JoinLocal(relay.LocalOptions{Event: func(_, method string, params []byte) {
		if p := (struct{ SessionID string }{}); method == "Target.attachedToTarget" && json.Unmarshal(params, &p) == nil {
			select {
			case attached <- p.SessionID:
			default: // of the walk
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Leave)
	for end := time.Now().Add(hubtest.Within); len(hub.Targets(nil)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the frame has not paired")
		}
	}
	w.target = hub.Targets(nil)[0].ID
	w.tab = w.must("", "Target.getTargets", object{"filter": []any{object{"type": "tab"}}})["targetInfos"].([]any)[0].(object)["targetId"].(string)
	page := w.attach(w.target)
	<-attached
	w.must(page, "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	w.must(page, "Runtime.evaluate", object{"expression": "window.kept = new Worker(URL.createObjectURL(new Blob([''])))"})
	select {
	case w.worker = <-attached:
	case <-time.After(hubtest.Within):
		t.Fatal("the worker has not come")
	}
	return w
}

// attach begins a session on a target.
func (w *walk) attach(target string) string {
	w.t.Helper()
	return w.must("", "Target.attachToTarget", object{"targetId": target, "flatten": true})["sessionId"].(string)
}

// object is the params of a command, or its result.
type object = map[string]any

// call sends a command, which must be answered.
func (w *walk) call(session, method string, params object) (object, error) {
	w.t.Helper()
	in, err := json.Marshal(params)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	out, err := w.client.Call(ctx, session, method, in)
	if ctx.Err() != nil {
		w.t.Fatalf("%s %s is not answered", method, in)
	}
	if err != nil {
		return nil, err
	}
	var result object
	if err := json.Unmarshal(out, &result); err != nil {
		w.t.Fatal(err)
	}
	return result, nil
}

// must is call for what cannot fail.
func (w *walk) must(session, method string, params object) object {
	w.t.Helper()
	result, err := w.call(session, method, params)
	if err != nil {
		w.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// leaving are methods after which their target is not as it was.
var leaving = strings.Fields("DOM.removeNode DOM.setNodeName DOM.setOuterHTML Page.close Page.crash Page.navigate Page.navigateToHistoryEntry Page.reload Page.setDocumentContent Target.closeTarget")

// send sends a method at a level. Only that on a worker shares its session.
func (w *walk) send(level string, m method) (object, error) {
	w.t.Helper()
	target := w.target
	if slices.Contains(leaving, m.name) {
		target = w.must("", "Target.createTarget", object{"url": w.app})["targetId"].(string)
		defer w.call("", "Target.closeTarget", object{"targetId": target}) // it may have gone
	}
	session := w.attach(target)
	defer w.call("", "Target.detachFromTarget", object{"sessionId": session}) // it may have ended
	params := w.params(session, target, m)
	switch level {
	case "browser":
		session = ""
	case "tab":
		session = w.attach(w.tab)
		defer w.call("", "Target.detachFromTarget", object{"sessionId": session})
	case "worker":
		session = w.worker
	}
	result, err := w.call(session, m.name, params)
	if made, _ := result["targetId"].(string); m.name == "Target.createTarget" && made != "" {
		w.must("", "Target.closeTarget", object{"targetId": made})
	}
	return result, err
}
