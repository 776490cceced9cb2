package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// TestBAPPagesAreTheClients has a client find no pages before it launches, as on
// the reference server, and later those alone that it has opened, or that these
// have.
func TestBAPPagesAreTheClients(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			other := s.launched(t, kind.prefix+"/")
			theirs := other.page(s.app.URL + "/form.html")
			a := s.agent(t, kind.prefix+"/", nil)
			a.must("initialize", `{}`)
			a.lists()
			a.fails("page/create", `{}`, -32010)
			a.must("browser/launch", `{}`)
			a.lists()
			a.fails("observe/content", `{"format":"text"}`, -32011)
			a.fails("page/close", fmt.Sprintf(`{"pageId":%q}`, theirs), -32011)
			mine := a.page(s.app.URL + "/opener.html")
			a.lists("/opener.html")
			a.must("action/click", fmt.Sprintf(`{"pageId":%q,"selector":{"type":"css","value":"#open"}}`, mine))
			hubtest.Eventually(t, "the page that it has opened", func() bool { return strings.Contains(a.must("page/list", `{}`), "/two.html") })
			a.lists("/opener.html", "/two.html")
			other.lists("/form.html")
		})
	}
}

// TestBAPAllPages has clients see the pages of others where the operator says
// so, and always where they may only read.
func TestBAPAllPages(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(o *server.Options) { o.Actions.BAPAllPages = true })
	s.launched(t, "/").page(s.app.URL + "/form.html")
	a := s.agent(t, "/", nil)
	a.must("initialize", `{}`)
	a.lists("/form.html")
	a.page(s.app.URL + "/two.html") // without a launch: there is a browser, as the list says
	a.lists("/form.html", "/two.html")

	held := newAgents(t, withScopes(t))
	as := func(scope string) *agent {
		a := held.agent(t, "/", http.Header{"X-BAP-Token": {"the-token-of-" + scope}})
		a.must("initialize", `{}`)
		return a
	}
	opener := as("standard")
	opener.must("browser/launch", `{}`)
	opener.page(held.app.URL + "/form.html")
	as("standard").lists()
	as("readonly").lists("/form.html")
}

// TestBAPMessages has a message be as long as the option says.
func TestBAPMessages(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(o *server.Options) { o.Actions.BAPMessage = 20 << 20 })
	a := s.agent(t, "/", nil)
	a.must("initialize", `{"clientInfo":{"name":"a"},"content":"`+strings.Repeat("a", 15<<20)+`"}`)
	a.Send(strings.Repeat(" ", 21<<20))
	if why := a.Reason(); why.Code != 1009 {
		t.Errorf("closed with %v, want 1009", why)
	}
}

// lists says which pages the client must see.
func (a *agent) lists(want ...string) {
	a.T.Helper()
	var list struct{ Pages []struct{ URL string } }
	if err := json.Unmarshal([]byte(a.must("page/list", `{}`)), &list); err != nil {
		a.T.Fatal(err)
	}
	got := []string{}
	for _, p := range list.Pages {
		got = append(got, p.URL[strings.LastIndex(p.URL, "/"):])
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		a.T.Errorf("the client sees %v, want %v", got, want)
	}
}

// TestBAPEventsFromNowOn subscribes after a page has logged: that is not told.
func TestBAPEventsFromNowOn(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(o *server.Options) { o.Actions.BAPAllPages = true })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			other := s.launched(t, kind.prefix+"/")
			page := other.page(s.app.URL + "/noisy.html")
			click := func(id string) {
				other.must("action/click", fmt.Sprintf(`{"pageId":%q,"selector":{"type":"css","value":"#%s"}}`, page, id))
			}
			click("log")
			a := s.agent(t, kind.prefix+"/", nil)
			a.must("initialize", `{}`)
			a.must("events/subscribe", `{"events":["console"]}`)
			click("err")
			if got := a.Until("events/console"); !strings.Contains(got, "a fault") {
				t.Errorf("the first event is %s", got)
			}
		})
	}
}
