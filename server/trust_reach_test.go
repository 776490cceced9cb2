package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
)

// loginWindow is a page that opens the page where the person types, from a frame in it, keeps
// its handle, and tells its console and its title what is in there.
const loginWindow = `<title>opener</title><iframe srcdoc="<script>top.w = open('/login', 'login')</script>"></iframe><script>
const read = () => { try { return w.document.querySelector("input").value } catch (e) { return "" + e } };
setInterval(() => { console.log("polled " + read()); document.title = "polled " + read() }, 20);
</script>`

// TestR262WindowHandlesInChromium has a person type into a page of a real browser, of which
// another page of the agent has the handle. The agent learns nothing until the page is handed
// back, while other pages go on.
func TestR262WindowHandlesInChromium(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/login":
			fmt.Fprint(w, `<title>login</title><input autofocus oninput="history.replaceState(0, '', '?q=' + this.value); document.title = this.value">`)
		case "/opener":
			fmt.Fprint(w, loginWindow)
		default:
			fmt.Fprint(w, `<title>alone</title>`)
		}
	}))
	t.Cleanup(site.Close)
	s := start(t, func(o *Options) {
		o.Browsers = testBrowser()
		o.Browsers.Chrome.Args = append(o.Browsers.Chrome.Args, "--disable-popup-blocking")
	})
	agent := s.clientOf(t, "/hub/chromium")
	n, heard := 0, ""
	call := func(command string) (answer string) {
		n++
		agent.send(fmt.Sprintf(`{"id":%d,%s`, n, command))
		for !strings.HasPrefix(answer, fmt.Sprintf(`{"id":%d,`, n)) {
			answer = agent.next()
			heard += answer + "\n"
		}
		return answer
	}
	open := func(path, context string) (tail string) {
		return agent.attachTo(textOf(t, call(`"method":"Target.createTarget","params":{"url":"`+site.URL+path+`"`+context+`}}`), "targetId"))
	}
	context := textOf(t, call(`"method":"Target.createBrowserContext"}`), "browserContextId")
	opener := open("/opener", "")
	twin, private := open("/twin", ""), open("/private", `,"browserContextId":"`+context+`"`)
	hub, release, err := s.Hub(t.Context(), "chromium")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	login := ""
	hubtest.Eventually(t, "the window", func() bool {
		for _, info := range hub.Targets(nil) {
			if info.Title == "login" {
				login = info.ID
			}
		}
		return login != ""
	})
	page := agent.attachTo(login)
	const reads = `"method":"Runtime.evaluate","params":{"expression":"read()"}`
	hubtest.Eventually(t, "a handle that reads", func() bool { return strings.Contains(call(reads+opener), `"value":""`) })
	call(`"method":"CdpHub.handoff","params":{"instructions":"Log in."}` + page)
	ann, err := hub.JoinLocal(relay.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer ann.Leave()
	made, err := ann.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"`+login+`","flatten":true}`))
	if err != nil {
		t.Fatal(err)
	}
	session := strings.Split(string(made), `"`)[3]
	call(`"method":"Runtime.enable"` + opener) // its console is heard from now on
	agent.until("polled")
	if err := ann.Take(login, "Ann", relay.LeaseOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Call(t.Context(), session, "Runtime.evaluate", []byte(`{"expression":"document.querySelector('input').focus()"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Call(t.Context(), session, "Input.insertText", []byte(`{"text":"hunter2"}`)); err != nil {
		t.Fatal(err)
	}
	// The opener has read it, and has told its console and its title. The agent hears neither.
	hubtest.Eventually(t, "what is typed", func() bool {
		out, err := ann.Call(t.Context(), session, "Runtime.evaluate", []byte(`{"expression":"opener.top.document.title"}`))
		return err == nil && strings.Contains(string(out), "hunter2")
	})
	for what, want := range map[string]struct {
		command string
		paused  bool
	}{
		"the page":          {`"method":"Runtime.evaluate","params":{"expression":"1"}` + page, true},
		"the handle":        {reads + opener, true},
		"its title":         {`"method":"Runtime.evaluate","params":{"expression":"document.title"}` + opener, true},
		"the same origin":   {`"method":"Runtime.evaluate","params":{"expression":"window.open('', 'login').document"}` + twin, true},
		"a private context": {`"method":"Runtime.evaluate","params":{"expression":"1"}` + private, false},
		"all targets":       {`"method":"Target.getTargets"}`, false},
		"the target":        {`"method":"Target.getTargetInfo","params":{"targetId":"` + login + `"}}`, false},
	} {
		got := call(want.command)
		if strings.Contains(got, "paused: Ann has the page") != want.paused {
			t.Errorf("%s: %s", what, got)
		}
	}
	_, list := s.get(t, s.addr(false), "/hub/chromium/json/list", nil)
	_, state := s.get(t, s.addr(false), "/hub/chromium/ui/api/state", nil)
	for _, text := range []string{heard, list, state} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("the agent learns what is typed: %.2000s", text)
		}
	}
	if err := ann.Release(login); err != nil {
		t.Fatal(err)
	}
	if got := call(reads + opener); !strings.Contains(got, "hunter2") {
		t.Errorf("afterwards the handle reads %s", got)
	}
}
