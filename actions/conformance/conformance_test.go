package conformance

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// cell is one case of one method in the table of a dialect. In its texts {app}
// is the app's address, {host} that of the app as another site, {page} the
// handle of a page that shows /form.html, and {soon} a time that is to run out.
type cell struct {
	method, name string
	params       string // of the request, beside the page's handle
	raw          string // the message, in place of one made of method and params
	want         string // a regular expression that the answer matches
	frame        string // that of a frame, where it is another
	then, is     string // an expression of the page, and what it comes to afterwards
	back         bool   // the page is to show /form.html again afterwards
	noPage       bool   // the method takes no handle, or the case gives one
}

// talk is how a dialect speaks.
type talk struct {
	handle   string                              // the field for a page's handle
	request  func(method, params string) string  // the message
	open     func(url string) (method, p string) // to open a page
	opened   string                              // an expression that finds the handle in the answer
	navigate func(url string) (method, p string)
	evaluate func(expression string) (method, p string)
	value    func(v string) string // what the answer to that contains
}

// conform runs a table on both kinds of targets.
func conform(t *testing.T, s *stage, path string, l talk, table []cell) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			c := &conforming{Peer: hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+path, nil), app: s.app, talk: l}
			form := s.app.URL + "/form.html"
			answer := c.ask(l.open(form))
			found := regexp.MustCompile(l.opened).FindStringSubmatch(answer)
			if found == nil {
				t.Fatalf("no page was opened: %s", answer)
			}
			c.page = found[1]
			for _, one := range table {
				name := one.method + "/" + one.name
				if one.frame != "" && kind.TargetKind == actions.FrameTarget {
					one.want = one.frame
				}
				t.Run(name, func(t *testing.T) {
					c.T = t
					c.try(one)
				})
				if one.back {
					c.ask(l.navigate(form))
				}
			}
		})
	}
}

// conforming is a connection for a table.
type conforming struct {
	*hubtest.Peer
	app *httptest.Server
	talk
	page string
}

// ask sends a request about the page and returns its answer.
func (c *conforming) ask(method, params string) string {
	c.T.Helper()
	c.Send(c.request(method, c.fill(c.withPage(params))))
	return c.Next()
}

// withPage adds the page's handle to params.
func (c *conforming) withPage(params string) string {
	if c.page == "" {
		return params
	}
	own := `{"` + c.handle + `":"` + c.page + `"`
	if rest := strings.TrimPrefix(params, "{"); rest != "" && rest != "}" {
		return own + "," + rest
	}
	return own + "}"
}

func (c *conforming) fill(text string) string {
	return strings.NewReplacer("{app}", c.app.URL, "{host}", strings.Replace(c.app.URL, "127.0.0.1", "localhost", 1), "{page}", c.page).Replace(text)
}

func (c *conforming) try(one cell) {
	t := c.T
	t.Helper()
	params := one.params
	if !one.noPage {
		params = c.withPage(params)
	}
	want := regexp.MustCompile("^" + c.fill(one.want) + "$")
	for _, soon := range soon {
		in := one.raw
		if in == "" {
			in = c.request(one.method, params)
		}
		in = c.fill(strings.ReplaceAll(in, "{soon}", soon))
		c.Send(in)
		answer := c.Next()
		if json.Valid([]byte(answer)) && want.MatchString(answer) {
			wantRemark(t, answer)
			keepsSecrets(t, answer)
			break
		}
		if soon == latest || !strings.Contains(params, "{soon}") || !strings.Contains(answer, "timed out") {
			t.Errorf("%s\ngot  %.600s\nwant %s", in, answer, want)
			break
		}
	}
	if one.then != "" {
		if got := c.ask(c.evaluate(one.then)); !strings.Contains(got, c.value(one.is)) {
			t.Errorf("%s %s: %s is %s, want %s", one.method, params, one.then, got, one.is)
		}
	}
}

// soon are the times that are to run out, in ms: the busier the machine, the
// longer.
var soon = []string{"300", "2000", latest}

const latest = "9000"

// keepsSecrets looks for the password and the card number of form.html.
func keepsSecrets(t testing.TB, answer string) {
	t.Helper()
	if strings.Contains(answer, "hunter2") || strings.Contains(answer, "41111") {
		t.Errorf("a secret is told: %.2000s", answer)
	}
}

func jsonText(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// refusesPages has a dialect ask for a page of a Host that makes none.
func refusesPages(t *testing.T, path string, l talk, want string) {
	t.Helper()
	method, params := l.open("http://app/2")
	t.Run("frame/"+method+"/of a Host that makes none", func(t *testing.T) {
		s := start(t, nil)
		host := hubtest.Dial(t, "ws://"+s.HostAddr()+"/icdp/host", nil)
		host.Send(hubtest.Ready)
		hubtest.Eventually(t, "the Host is there", func() bool {
			_, body := hubtest.Get(t, s.ClientAddr(), "/icdp/status", nil)
			return strings.Contains(body, `"hostConnected":true`)
		})
		c := hubtest.Dial(t, "ws://"+s.ClientAddr()+path, nil)
		c.Send(l.request(method, params))
		got := c.Next()
		if !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("got %s, want %s", got, want)
		}
		wantRemark(t, got)
	})
}
