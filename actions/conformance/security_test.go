package conformance

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// door is how a dialect is entered. In its messages {app} is the app's address,
// {url} one to go to, and {page} the id of a page's target.
type door struct {
	path     string
	http     bool     // one POST a message, not a WebSocket
	hello    []string // what comes first; the last opens a page
	harmless string
	navigate string
	close    string // which a token that may only look must not
	unknown  string
	numbered string // with the id 7
	batch    string
	short    func(answer string) string
}

// visitor comes to a dialect, on one kind of targets.
type visitor struct {
	t      *testing.T
	s      *stage
	prefix string
	door
	token   string
	session string        // of MCP
	far     *hubtest.Peer // the WebSocket
	page    string
}

const ownerToken, readerToken = "the-token-of-its-owner", "the-token-of-a-reader"

func TestNDJSONSecurity(t *testing.T)  { withstands(t, 0) }
func TestJSONRPCSecurity(t *testing.T) { withstands(t, 1) }
func TestHooksSecurity(t *testing.T)   { withstands(t, 2) }
func TestBAPSecurity(t *testing.T)     { withstands(t, 3) }
func TestMCPSecurity(t *testing.T)     { withstands(t, 4) }

// withstands tries all threats on a dialect.
func withstands(t *testing.T, dialect int) {
	t.Parallel()
	change, _ := withFile(t, "tokens:\n  - {token: token-of-the-page, role: host}\n"+
		"  - {token: "+ownerToken+", role: client, hub: '*', scope: privileged}\n"+
		"  - {token: "+readerToken+", role: client, hub: '*', scope: readonly}\n")
	s := newStage(t, func(f *server.Options) {
		change(f)
		f.Tokens.Host, f.Network.Block = hubtest.HostToken, []string{"localhost"}
	})
	refusals := documentedRefusals(t)
	for _, x := range threats {
		answers := refusals[x.name]
		if answers == nil {
			t.Fatalf("docs/actions.md does not say what is answered to %s", x.name)
		}
		want := answers[dialect]
		if want == "" { // there is no such thing
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			got := x.try(&visitor{t: t, s: s, prefix: "/hub/chromium", door: doors[dialect]})
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// enter is what somebody gets who comes so and says hello: the status, where
// it is a refusal.
func (v *visitor) enter(query string, header http.Header) string {
	v.t.Helper()
	path := v.prefix + v.path + query
	if v.http {
		return v.post(path, header, v.first())
	}
	lines := []string{}
	for name, values := range header {
		lines = append(lines, name+": "+values[0])
	}
	if status := hubtest.Raw(v.t, v.s.ClientAddr(), hubtest.Handshake(path, lines...)).Status; status != http.StatusSwitchingProtocols {
		return strconv.Itoa(status)
	}
	c := hubtest.Dial(v.t, "ws://"+v.s.ClientAddr()+path, header)
	c.Send(v.fill(v.first()))
	return v.short(c.Next())
}

func (v *visitor) first() string {
	if len(v.hello) > 0 {
		return v.hello[0]
	}
	return v.harmless
}

// as makes a visitor with a token at home.
func (v *visitor) as(token string) *visitor {
	v.t.Helper()
	if v.token = token; !v.http {
		v.far = hubtest.Dial(v.t, "ws://"+v.s.ClientAddr()+v.prefix+v.path, hubtest.Bearer(token))
	}
	if strings.Contains(v.navigate, "{page}") {
		c := hubtest.Dial(v.t, "ws://"+v.s.ClientAddr()+v.prefix+"/ws", hubtest.Bearer(ownerToken))
		c.Send(jsonrpcTalk.request(jsonrpcTalk.open(v.s.app.URL + "/two.html")))
		v.page = regexp.MustCompile(jsonrpcTalk.opened).FindStringSubmatch(c.Next())[1]
	}
	for _, m := range v.hello {
		v.ask(m)
	}
	return v
}

// ask sends a message and returns the answer in short.
func (v *visitor) ask(message string) string {
	v.t.Helper()
	message = v.fill(message)
	if v.http {
		return v.post(v.prefix+v.path, hubtest.Bearer(v.token), message)
	}
	v.far.Send(message)
	select {
	case answer := <-v.far.Got:
		return v.short(answer)
	case why := <-v.far.Closed:
		return fmt.Sprintf("closed with %d", why.Code)
	case <-time.After(hubtest.Within):
		v.t.Fatalf("%.200s is not answered", message)
		return ""
	}
}

// post is ask over HTTP.
func (v *visitor) post(path string, header http.Header, message string) string {
	v.t.Helper()
	req, err := http.NewRequestWithContext(within60(v.t), http.MethodPost, "http://"+v.s.ClientAddr()+path, strings.NewReader(v.fill(message)))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if v.session != "" {
		req.Header.Set("Mcp-Session-Id", v.session)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		v.session = id
	}
	status := ""
	if resp.StatusCode >= http.StatusBadRequest {
		status = strconv.Itoa(resp.StatusCode)
	}
	return strings.TrimSpace(status + " " + v.short(string(answer)))
}

func (v *visitor) fill(message string) string {
	return strings.NewReplacer("{app}", v.s.app.URL, "{page}", v.page).Replace(message)
}

// going is what comes of going to each of these addresses, which must be the
// same but for the address.
func (v *visitor) going(urls ...string) string {
	v.t.Helper()
	all := ""
	for _, url := range urls {
		got := v.ask(strings.ReplaceAll(v.navigate, "{url}", url))
		got = regexp.MustCompile(`(protocol|endpoint\)): .*`).ReplaceAllString(got, "$1: …")
		if all != "" && got != all {
			v.t.Errorf("%s: %s, and others %s", url, got, all)
		}
		all = got
	}
	return all
}
