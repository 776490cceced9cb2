package relay

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/targets"
)

// keepsCommands is a Host that keeps the commands that it gets.
type keepsCommands struct {
	mute
	got []bridge.Command
}

func (n *keepsCommands) Send(c bridge.Command) error {
	n.got = append(n.got, c)
	return nil
}

// keepsBrowserCommands is one that serves the browser level.
type keepsBrowserCommands struct {
	keepsCommands
	wholeBrowser
}

const (
	secretURL = "https://me:SECRET@app.test/?x=1&token=SECRET&y=2"
	shownURL  = "https://app.test/?x=1&token=[REDACTED]&y=2"
)

// readerStage is a hub with a page and a browser, whose addresses have secrets, a Client that
// redacts, and one that sees everything.
type readerStage struct {
	hub         *Hub
	page        *keepsCommands
	browser     *keepsBrowserCommands
	events      bridge.Events // of the page
	ofBrowser   bridge.Events
	reader, all *Client
	read, saw   *inbox
}

func newReaderStage(t *testing.T) *readerStage {
	t.Helper()
	n := 0
	s := &readerStage{page: &keepsCommands{}, browser: &keepsBrowserCommands{}, read: &inbox{}, saw: &inbox{}}
	s.hub = newHub(t, Options{NewID: func() string { n++; return fmt.Sprint("S", n) }})
	s.events = setHost(s.hub, s.page, []targets.Info{{ID: "T0", Title: secretURL, URL: secretURL}})
	s.ofBrowser = setHost(s.hub, s.browser, []targets.Info{{ID: "B0", Type: "page", Title: secretURL, URL: secretURL}})
	var err error
	if s.reader, err = s.hub.Join(s.read, scope.Readonly); err != nil {
		t.Fatal(err)
	}
	s.all = join(t, s.hub, s.saw)
	return s
}

// send has both Clients send a message.
func (s *readerStage) send(message string) {
	s.reader.Receive([]byte(message))
	s.all.Receive([]byte(message))
}

// answer has a Host answer all that it got.
func (n *keepsCommands) answer(ev bridge.Events, result, failure string) {
	for _, c := range n.got {
		var e []byte
		if failure != "" {
			e = []byte(failure)
		}
		ev.Result(c.Call, c.SessionID, []byte(result), e)
	}
	n.got = nil
}

// TestR265AllThatAReaderGets has a Client that redacts hear of addresses in all ways that
// there are: from Hosts and from the hub itself, in answers, errors, events and lists.
func TestR265AllThatAReaderGets(t *testing.T) {
	s := newReaderStage(t)
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"targets are discovered", func() {
			s.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
		}},
		{"targets are listed by the hub and the browser", func() {
			s.send(`{"id":2,"method":"Target.getTargets"}`)
			s.browser.answer(s.ofBrowser, `{"targetInfos":[{"targetId":"B0","url":"`+secretURL+`"}]}`, "")
		}},
		{"a target is described", func() {
			s.send(`{"id":3,"method":"Target.getTargetInfo","params":{"targetId":"T0"}}`)
		}},
		{"a target is attached to", func() {
			s.send(`{"id":4,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}}`)
		}},
		{"a target changes", func() {
			s.events.TargetChanged(targets.Info{ID: "T0", Title: secretURL + "2", URL: secretURL + "2"})
		}},
		{"a Host answers", func() {
			s.send(`{"id":5,"sessionId":"` + pageSession(s.reader) + `","method":"Page.getFrameTree"}`)
			s.all.Receive([]byte(`{"id":5,"sessionId":"` + pageSession(s.all) + `","method":"Page.getFrameTree"}`))
			s.page.answer(s.events, `{"frameTree":{"frame":{"url":"`+secretURL+`"}}}`, "")
		}},
		{"a Host refuses", func() {
			for _, c := range []*Client{s.reader, s.all} {
				c.Receive([]byte(`{"id":6,"sessionId":"` + pageSession(c) + `","method":"DOM.getDocument"}`))
			}
			s.page.answer(s.events, "", `{"code":-32000,"message":"Cannot read `+secretURL+`","data":"`+secretURL+`","more":"`+secretURL+`"}`)
		}},
		{"a page sends an event", func() {
			s.events.Event("T0", "Runtime.exceptionThrown", []byte(`{"exceptionDetails":{"text":"at `+secretURL+`"}}`))
			s.events.SessionsEvent([]string{pageSession(s.reader), pageSession(s.all)}, "Log.entryAdded", []byte(`{"entry":{"text":"`+secretURL+`"}}`))
			s.events.SessionEvent(pageSession(s.reader), "Page.frameNavigated", []byte(`{"frame":{"url":"`+secretURL+`"}}`))
		}},
	} {
		s.read.take()
		s.saw.take()
		step.do()
		read, saw := strings.Join(s.read.take(), "\n"), strings.Join(s.saw.take(), "\n")
		if strings.Contains(read, "SECRET") || !strings.Contains(read, "app.test/?x=1&token=[REDACTED]") {
			t.Errorf("%s: the reader got\n%s", step.name, read)
		}
		if !strings.Contains(saw, secretURL) {
			t.Errorf("%s: the other Client got\n%s", step.name, saw)
		}
	}
	if err := s.hub.check(); err != nil {
		t.Error(err)
	}
}

// TestR265ListsOfTargets wants the lists that have no Client redacted, too.
func TestR265ListsOfTargets(t *testing.T) {
	s := newReaderStage(t)
	for _, p := range []Policy{scope.Readonly, OwnTabs{Policy: scope.Readonly, Owner: "nobody"}, scope.Standard, nil} {
		want := secretURL
		if p != nil && p.Redacts() {
			want = shownURL
		}
		var list []targets.Info
		list = append(list, s.hub.Targets(p)...)
		if at, ok := s.hub.Target(p, "T0"); ok {
			list = append(list, at)
		}
		for _, at := range s.hub.Control().WatchedTargets(Watcher{Policy: p}) {
			list = append(list, at.Info)
		}
		if at, ok := s.hub.Control().WatchedTarget(Watcher{Policy: p}, "B0"); ok {
			list = append(list, at.Info)
		}
		if _, own := p.(OwnTabs); !own && len(list) != 6 {
			t.Errorf("%v sees %d targets", p, len(list))
		}
		for _, at := range list {
			if at.URL != want || at.Title != want {
				t.Errorf("%v sees %+v, want %s", p, at, want)
			}
		}
	}
}

// TestR265OneWayOut wants what goes to a Client to pass where it is redacted: the two methods of
// Client, and what connection has prepared without the lock.
func TestR265OneWayOut(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 30 {
		t.Fatalf("%v, %v", files, err)
	}
	direct := regexp.MustCompile(`\.peer\.(Answer|Event)\(`)
	known := map[string]int{"client.go": 2, "connection.go": 2}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(direct.FindAll(text, -1)); n != known[file] {
			t.Errorf("%s hands %d messages to the connection of a Client, %d are known: use Client.answer and Client.event", file, n, known[file])
		}
	}
}

// pageSession is the session of a Client with the page that the hub emulates a browser for.
func pageSession(c *Client) string {
	for s := range c.sessions {
		if s.TargetID == "T0" {
			return s.ID
		}
	}
	return ""
}
