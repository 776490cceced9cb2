package extension

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/targets"
)

const install = "a-secret-of-an-installation"

// world is a hub without Clients, which writes down what its Host says, and extensions that write down the messages that they get.
type world struct {
	t     *testing.T
	hosts *Hosts

	mu       sync.Mutex // guards what follows
	host     bridge.Host
	lines    []string
	refuses  map[string]bool // targets
	full     error           // what SetHost says
	released int
}

// play runs a test of an extension that may return.
func play(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, hosts: NewHosts(Options{Own: func() []string { return []string{"127.0.0.1:9222"} }}), refuses: map[string]bool{}}
		test(w)
		time.Sleep(2 * time.Second) // connections take that long to close
		heldtest.WantsNothing(t, "the extensions", w.hosts.Held())
		if h, is := w.host.(*Host); is {
			heldtest.WantsNothing(t, "the Host", heldtest.Of(h)())
		}
	})
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

// wait lets time pass.
func (w *world) wait(d time.Duration) { time.Sleep(d) }

// want compares what has been written down since.
func (w *world) want(lines ...string) {
	w.t.Helper()
	time.Sleep(time.Second) // a connection takes that long to close
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got, want := apart(w.lines), apart(lines); got != want {
		w.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.lines = nil
}

// apart is what the hub hears, and then what the extension hears: these are in no order.
func apart(lines []string) string {
	hears := func(line string) bool { return strings.HasPrefix(line, "> ") }
	return strings.Join(slices.DeleteFunc(slices.Clone(lines), hears), "\n") + "\n" +
		strings.Join(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !hears(line) }), "\n")
}

// peer is the extension's end of a connection.
type peer struct {
	w   *world
	far *wsconn.Conn
}

func (w *world) connect() *peer {
	near, far := wsconn.Pipe(wsconn.Limits{}, wsconn.Limits{})
	p := &peer{w, far}
	w.hosts.Start(w.t.Context(), near, w, func(handle func([]byte)) func([]byte) { return handle }, func(why wsconn.Reason) {}, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.released++
	})
	go func() {
		why := far.Serve(w.t.Context(), func(m []byte) {
			if string(m) != `{"kind":"alive"}` {
				w.note("> %s", m)
			}
		})
		if why != wsconn.ReasonNormal {
			w.note("> closed %v", why)
		}
	}()
	return p
}

func (p *peer) say(message string) {
	p.w.t.Helper()
	p.far.Deliver(wire.Frame{Body: []byte(message)})
	synctest.Wait()
}

const hello = `{"kind":"hello","v":1,"install":"` + install + `","product":"Chrome/156","userAgent":"U"}`

const welcome = `> {"kind":"welcome","v":1,"own":["127.0.0.1:9222"]}`

// shares connects an extension that shares the tab T.
func (w *world) shares() *peer {
	p := w.connect()
	p.say(hello)
	p.say(`{"kind":"tabs","tabs":[{"target":"T","url":"http://a/","title":"one"}]}`)
	w.want("host Chrome/156 U", welcome, "created T one http://a/")
	return p
}

// drives has a Client attach, and the extension as well.
func (w *world) drives(p *peer) {
	w.attached("S", "agent")
	w.want(`> {"kind":"attach","id":1,"target":"T"}`, `> {"kind":"drivers","target":"T","clients":["agent"]}`)
	p.say(`{"kind":"answer","id":1,"result":{}}`)
	w.want()
}

func (w *world) attached(session, client string) {
	w.host.(bridge.Announcer).Attached(bridge.Attachment{SessionID: session, TargetID: "T", Client: client})
}

// send sends a command, and writes down an error.
func (w *world) send(call bridge.CallID, session, method, params string) {
	if err := w.host.Send(bridge.Command{Call: call, SessionID: session, TargetID: "T", Method: method, Params: []byte(params)}); err != nil {
		w.note("refused %d %v", call, err)
	}
}

func (w *world) SetHost(h bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	if w.full != nil {
		return nil, w.full
	}
	w.host = h
	w.note("host %s %s", a.Version.Product, a.Version.UserAgent)
	return w, nil
}

func (w *world) Reannounced(bridge.Announcement) { w.note("reannounced") }

func (w *world) TargetCreated(i targets.Info) bool {
	w.note("%s", strings.TrimSpace(strings.Join([]string{"created", i.ID, i.Title, i.URL, i.OpenerID}, " ")))
	return !w.refuses[i.ID]
}
func (w *world) TargetChanged(targets.Info) { w.note("changed") }
func (w *world) TargetGone(id string)       { w.note("gone %s", id) }
func (w *world) Result(call bridge.CallID, session string, result, cdpErr []byte) {
	w.note("result %d %s%s%s", call, session, result, cdpErr)
}
func (w *world) Fail(session string, why *bridge.Error) { w.note("fail %s %v", session, why) }
func (w *world) Event(target, method string, _ []byte)  { w.note("event of %s %s", target, method) }
func (w *world) SessionEvent(session, method string, params []byte) {
	w.note("event %s %s %s", session, method, params)
}
func (w *world) SessionsEvent([]string, string, []byte) { w.note("events") }
func (w *world) Opened(n bridge.Nested) bool {
	w.note("opened %s in %s", n.SessionID, n.Parent)
	return true
}
func (w *world) Closed(session string)                         { w.note("closed %s", session) }
func (w *world) PutScript(string, string) bool                 { return false }
func (w *world) DownloadBegins(bridge.Download) bool           { return false }
func (w *world) DownloadPart(string, []byte) bool              { return false }
func (w *world) DownloadEnds(string, int64)                    {}
func (w *world) DownloadFinished(string, bridge.Finished) bool { return false }
func (w *world) HostGone(mayReturn bool)                       { w.note("host gone, may return: %v", mayReturn) }

var _ bridge.Events = (*world)(nil)
