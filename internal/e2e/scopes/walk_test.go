package scopes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// protocol is as much of /json/protocol as params can be made from.
type protocol struct{ Domains []domain }

type domain struct {
	Domain   string
	Types    []property
	Commands []struct {
		Name       string
		Parameters []property
	}
}

type property struct {
	ID, Name, Type string
	Optional       bool
	Enum           []string
	Ref            string `json:"$ref"`
	Items          *property
	Properties     []property
}

// walker makes params for the methods of a protocol.
type walker struct {
	*stage
	types  map[string]property
	values map[string]any // by the name of a param, in lower case
}

// TestR117WalkOverTheProtocol sends every method of the installed Chromium's
// protocol with plausible params, for each scope below privileged: at browser
// level, and in a session of a page.
func TestR117WalkOverTheProtocol(t *testing.T) {
	all := protocolOf(t)
	for _, scope := range []string{"readonly", "standard", "full"} {
		t.Run(scope, func(t *testing.T) {
			s := newStage(t, harness.StartChromiumHub)
			boss := s.client("privileged")
			contextID := member(t, boss.Call(t, "", "Target.createBrowserContext", nil), "browserContextId")
			theirs, witness := s.open(boss, s.site+"/private", contextID)
			start := boss.Pages(t)[0]
			common := boss.Attach(t, start)
			harness.Eventually(t, harness.Soon, func() error {
				if got := boss.Evaluate(t, common, "document.readyState + document.title"); got != `"complete/start"` {
					return fmt.Errorf("the first page is %s", got)
				}
				return nil
			})
			for _, session := range []string{witness, common} {
				boss.Call(t, session, "Runtime.evaluate", object{"expression": "changes = []"})
			}
			before := boss.Evaluate(t, common, "document.documentElement.outerHTML")
			s.walk(all, scope, start, theirs, contextID)
			for name, session := range map[string]string{"a private page": witness, "the common page": common} {
				if scope != "readonly" && session == common {
					continue // which the others may drive
				}
				// It answers, so it is not paused.
				if got := boss.Evaluate(t, session, "changes.join()"); got != `""` {
					t.Errorf("%s was changed: %s", name, got)
				}
			}
			if scope == "readonly" {
				if after := boss.Evaluate(t, common, "document.documentElement.outerHTML"); after != before {
					t.Errorf("the common page is %s, was %s", after, before)
				}
			}
			// New pages come, with their documents, and files are shown to those who may.
			_, fresh := s.open(boss, "file://"+s.file, "")
			harness.Eventually(t, harness.Soon, func() error {
				if got := boss.Evaluate(t, fresh, "document.body ? document.body.innerText : ''"); !strings.Contains(got, secret) {
					return fmt.Errorf("a page of a file shows %s", got)
				}
				return nil
			})
			boss.Call(t, common, "Runtime.evaluate", object{"expression": "popup = open('/popup')", "userGesture": true})
			harness.Eventually(t, harness.Soon, func() error {
				if got := boss.Evaluate(t, common, "popup.document.title"); got != `"/popup"` {
					return fmt.Errorf("a popup has the title %s", got)
				}
				return nil
			})
		})
	}
}

// walk sends all methods as a Client of a scope.
func (s *stage) walk(all protocol, scope, start, theirs, contextID string) {
	s.Helper()
	w := walker{stage: s, types: map[string]property{}}
	for _, d := range all.Domains {
		for _, typ := range d.Types {
			w.types[d.Domain+"."+typ.ID] = typ
		}
	}
	c := s.client(scope)
	attach := func() (target, session string) {
		if scope == "readonly" {
			return start, c.Attach(s.T, start)
		}
		return s.open(c, s.site+"/own", "")
	}
	target, session := attach()
	total, answered := 0, 0
	for _, d := range all.Domains {
		sent := map[int]bool{}
		for _, m := range d.Commands {
			method := d.Domain + "." + m.Name
			for _, victim := range []string{target, theirs} {
				w.values = map[string]any{
					"targetid": victim, "browsercontextid": contextID, "frameid": target, "sessionid": "none",
					"url": "file://" + s.file, "urls": []string{"file://" + s.file}, "files": []string{s.file}, "path": s.folder,
					"downloadpath": s.folder, "behavior": "allow", "expression": "1", "source": "1", "windowid": 1, "nodeid": 1,
					"waitfordebuggeronstart": true, "flatten": true, "origin": "file://", "filter": []object{{}},
					"proxyserver": "http://127.0.0.1:1", "html": "<p>", "installurlorbundleurl": "file://" + s.file,
				}
				for _, in := range []string{"", session} {
					id := c.Send(s.T, in, method, w.object(d.Domain, m.Parameters, 0))
					w.settled(c, id)
					sent[id] = true
				}
			}
		}
		s.hidesCookies = scope != "full"
		s.untouched(scope, c)
		total += len(sent)
		answered += len(c.All(func(m harness.Message) bool { return sent[m.ID] }))
		c.Forget()
		if d.Domain == "Fetch" && scope == "full" { // else every request of its next pages waits for it
			c.Call(s.T, "", "Fetch.disable", nil)
		}
		if result, err := s.alive(c, session); err != nil {
			s.Logf("%s after %s: a new session, since %v", scope, d.Domain, err)
			target, session = attach()
		} else if len(result) == 0 {
			s.Fatalf("%s after %s: no answer", scope, d.Domain)
		}
	}
	s.Logf("%s: %d of %d commands were answered before the next domain", scope, answered, total)
	if answered < 1000 {
		s.Errorf("only %d commands were answered", answered)
	}
	s.untouched(scope, c)
	c.Close()
}

// settled waits for an answer, not long: some methods wait themselves.
func (w *walker) settled(c *harness.CDP, id int) {
	answer := func(m harness.Message) bool { return m.ID == id }
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end) && len(c.All(answer)) == 0; {
		time.Sleep(time.Millisecond)
	}
}

// alive asks a session for something harmless.
func (s *stage) alive(c *harness.CDP, session string) (json.RawMessage, error) {
	id := c.Send(s.T, session, "Page.getFrameTree", nil)
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if answers := c.All(func(m harness.Message) bool { return m.ID == id }); len(answers) > 0 {
			if answers[0].Error != nil {
				return nil, answers[0].Error
			}
			return answers[0].Result, nil
		}
	}
	return nil, fmt.Errorf("it does not answer")
}

// object makes params, or an object inside of them.
func (w *walker) object(domain string, list []property, depth int) object {
	made := object{}
	for _, q := range list {
		if v, known := w.values[strings.ToLower(q.Name)]; known {
			made[q.Name] = v
		} else if !q.Optional || depth == 0 {
			made[q.Name] = w.value(domain, q, depth+1)
		}
	}
	return made
}

func (w *walker) value(domain string, q property, depth int) any {
	if q.Ref != "" {
		name := q.Ref
		if !strings.Contains(name, ".") {
			name = domain + "." + name
		}
		domain, _, _ = strings.Cut(name, ".")
		q = w.types[name]
	}
	switch {
	case len(q.Enum) > 0:
		return q.Enum[0]
	case q.Type == "string", q.Type == "binary":
		return "x"
	case q.Type == "boolean":
		return true
	case q.Type == "integer", q.Type == "number":
		return 1
	case q.Type == "array" && depth < 4:
		return []any{w.value(domain, *q.Items, depth+1)}
	case q.Type == "array":
		return []any{}
	}
	return w.object(domain, q.Properties, depth)
}

// protocolOf is the /json/protocol of the installed Chromium.
func protocolOf(t *testing.T) (all protocol) {
	t.Helper()
	b := harness.StartChromium(t, "about:blank", true)
	resp, err := http.Get("http://127.0.0.1:" + b.Port(t) + "/json/protocol")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil || len(all.Domains) < 40 || !slices.ContainsFunc(all.Domains, func(d domain) bool { return d.Domain == "Page" }) {
		t.Fatalf("Chromium tells of %d domains: %v", len(all.Domains), err)
	}
	return all
}
