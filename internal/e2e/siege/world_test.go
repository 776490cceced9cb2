package siege

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// setup is how attacker and victim share a hub.
type setup int

// The set-ups.
const (
	own    setup = 1 << iota // each token has a browser of its own
	shared                   // both tokens are of one share, and drive one browser
	frames                   // both drive frames of one Host page
)

var setupNames = map[setup]string{own: "own", shared: "shared", frames: "frames"}

// browsers are the set-ups with a Chromium behind the hub.
const browsers = own | shared

// everywhere are all set-ups.
const everywhere = own | shared | frames

// world is a hub with two tenants, and beside it a hub that nobody attacks.
type world struct {
	t     testing.TB
	setup setup
	hub   *harness.Hub
	spare *harness.Hub // where the control works
	site  *httptest.Server

	app  int      // the number of the attacker's app; see renew
	apps chan int // to the Host page of hub
}

// The scopes of the attacker's tokens. The victim's token has scope full.
var scopes = []string{"readonly", "standard", "full"}

// tokenOf is a token of the attacker.
func tokenOf(scope string) string { return "the-attackers-token-" + scope }

const victimToken = "the-victims-token-0000"

// team is the share of both in the set-up shared.
const team = "team"

// hostToken lets the Host pages of the set-up frames in.
const hostToken = "the-host-pages-token-0000"

// site answers every path with the page that the path names: /blank, or a script of
// pageScripts.
func newSite(t testing.TB, apps <-chan int) *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case "/megabyte":
			io.WriteString(w, strings.Repeat("m", 1<<20))
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=file.txt")
			io.WriteString(w, "file")
		case "/host":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, hostPage(r))
		case "/apps":
			w.Header().Set("Content-Type", "text/event-stream")
			for rc := http.NewResponseController(w); rc.Flush() == nil; {
				select {
				case n := <-apps:
					fmt.Fprintf(w, "data: %d\n\n", n)
				case <-r.Context().Done():
					return
				}
			}
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s<p>a page<input><button>b</button>", r.URL.Path, agentOf(r))
		}
	}))
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	return site
}

// agentOf is the element of the Frame Agent for a page whose address asks for it.
func agentOf(r *http.Request) string {
	hub := r.URL.Query().Get("hub")
	if hub == "" {
		return ""
	}
	return fmt.Sprintf(`<script src="http://%s/agent.js" data-parents="http://localhost:%s" crossorigin></script>`, hub, portOf(r.Host))
}

func portOf(host string) string { return host[strings.LastIndexByte(host, ':')+1:] }

// hostPage embeds an app of the attacker and the victim's, of different sites, so that
// Chromium runs them in different processes. The site says when the attacker gets another
// app in place of its old one.
func hostPage(r *http.Request) string {
	hub, port := r.URL.Query().Get("hub"), portOf(r.Host)
	return fmt.Sprintf(`<!doctype html><title>Host page</title><script src="http://%[1]s/host.js"></script><body><script>
		const host = new CdpHub.Host({});
		function embed(who) {
			const origin = "http://" + who + ".localhost:%[2]s";
			const frame = document.createElement("iframe");
			frame.src = origin + "/app?hub=%[1]s";
			frame.style = "width:600px;height:300px";
			document.body.append(frame);
			host.pair(frame, { targetId: "app-" + who, origins: [origin] });
			return frame;
		}
		let attacker = embed("attacker0"), n = "0";
		embed("victim");
		host.connectRelay("ws://%[1]s/icdp/host", { token: %[3]q });
		if (%[4]q) new EventSource("/apps").onmessage = (e) => {
			host.unpair("app-attacker" + n);
			attacker.remove();
			attacker = embed("attacker" + (n = e.data));
		};
	</script>`, hub, port, hostToken, r.URL.Query().Get("renews"))
}

// attackersApp is the id of the attacker's target in the set-up frames.
func (w *world) attackersApp() string { return fmt.Sprint("app-attacker", w.app) }

// renew gives the attacker another app, of another site: the old one may be in a loop, which
// would take a CPU from the rows that follow.
func (w *world) renew() { w.app++; w.apps <- w.app }

// newWorld starts both hubs.
func newWorld(t testing.TB, s setup) *world {
	t.Helper()
	w := &world{t: t, setup: s, apps: make(chan int)}
	w.site = newSite(t, w.apps)
	w.hub, w.spare = w.startHub("attacked"), w.startHub("")
	return w
}

func (w *world) startHub(renews string) *harness.Hub {
	w.t.Helper()
	args := []string{"--tokens", w.tokensFile()}
	if w.setup != frames {
		return harness.StartBrowserHub(w.t, "about:blank", append(args, "--max-browsers", "4", "--browser-arg=--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost, EXCLUDE localhost")...)
	}
	hub := harness.StartHub(w.t, args...)
	// The headless shell has one process for both apps.
	harness.StartChromium(w.t, strings.Replace(w.site.URL, "127.0.0.1", "localhost", 1)+"/host?hub="+hub.HostAddr+"&renews="+renews, false)
	return hub
}

// tokensFile has a token of each scope for the attacker, and one for the victim.
func (w *world) tokensFile() string {
	w.t.Helper()
	attacker, victim := "attacker", "victim"
	if w.setup == shared {
		attacker, victim = team, team
	}
	var b strings.Builder
	entry := func(name, token, role, scope, share string) {
		fmt.Fprintf(&b, "  - {name: %s, token: %s, role: %s, hub: \"*\", scope: %s, share: %s}\n", name, token, role, scope, share)
	}
	b.WriteString("tokens:\n")
	for _, scope := range scopes {
		entry("attacker-"+scope, tokenOf(scope), "client", scope, attacker)
	}
	entry("victim", victimToken, "client", "full", victim)
	fmt.Fprintf(&b, "  - {name: pages, token: %s, role: host, hub: \"*\"}\n", hostToken)
	path := filepath.Join(w.t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// ends are the lines of a hub's log which say that the browser of a share has ended.
func ends(h *harness.Hub, share string) (lines []string) {
	for line := range strings.Lines(h.Log()) {
		if strings.Contains(line, `"host disconnected"`) && strings.Contains(line, `"hub":"_`+share+`"`) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// window is how long both work while the attack lasts.
func window() time.Duration {
	if os.Getenv("CDPHUB_LONG") != "" {
		return 3 * time.Second
	}
	return 1500 * time.Millisecond
}
