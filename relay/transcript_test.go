package relay

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

var update = flag.Bool("update", false, "rewrite the < lines of the transcripts")

// TestTranscripts plays every file of testdata/transcripts against a hub.
//
//	# a comment
//	> c1 {"id":1,…}                      Client c1, who joins when first named, sends this
//	> p1 page T1                         Client p1 joins for that Target alone
//	> c1 leave
//	> last2 succeeds last1              takes over what last1 has, which then leaves; Clients of
//	                                     these names have Peers that are Lasting
//	> dialog T1 confirm TEXT             script in the Target opens a dialog
//	> host ready T1 T2<T1                the Host announces Targets, the second opened by the first
//	                                     (also: sessions, nested, handles=METHOD, id=HOSTID, browser,
//	                                     slot=NAME), or announces itself anew
//	> host created|changed T1 TITLE      a Target appears, or is told of anew
//	> host gone T1
//	> host result|error CALL S1 {…}      the Host answers; - stands for no session
//	> host event T1 METHOD {…}
//	> host session-event S1 METHOD {…}
//	> host opened S1 S2 T1 page          a session is born inside S1, or ends
//	> host closed S2
//	> host fails S1 why                  the commands in flight of a session fail
//	> host refuses METHOD WHY            from now on
//	> host full                          from now on the Host takes no command
//	> host hangs                         the same, since the script of its page does not run
//	> person opens TICKET                somebody opens the link of a handoff, or ends it
//	> person done|cancelled ID
//	> browser comes|ends                 somebody starts a browser for the hub, or gives up
//	> host lost                          its connection is lost
//	> host leaves
//	> wait 30s
//	< c1 {…}                             what the peer then gets, each peer in order
//	< host command CALL S1 T1 METHOD {…}
//	< host attached|release S1 T1
//	< host inherit S1 S2
//	< last1 browser ended
//	< dialog T1 native|accept|dismiss TEXT
//	< person key KEY|refused
//	< p1 gone
//	< host resumed                       every session that goes on has been told of
//	< host close REASON
//
// A second Host is host2, and so on.
func TestTranscripts(t *testing.T) {
	proves := map[string]string{
		"malformed": "R-50, R-51, R-53, R-57, F-10", "answers": "R-52, F-11",
		"interception": "R-301", "other_clients": "R-300",
		"returning_host": "F-02, F-03, F-04", "commands_end": "F-01, F-16, F-17",
	}
	files, err := filepath.Glob("../testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(strings.TrimSpace(name+" "+proves[name]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playFile(t, newStage(t), file) })
		})
	}
}

func playFile(t *testing.T, st *stage, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := play(t, st, string(raw))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(string(raw), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i < len(want) && st.beside && alone.MatchString(want[i]) {
			continue
		}
		if i >= len(want) || line != want[i] {
			t.Fatalf("line %d:\n got  %s\n want %s\n(-update rewrites the file)", i+1, line, slices.Concat(want, make([]string, i+1))[i])
		}
	}
	if n := strings.Count(got, "\n") + 1; n < len(want) {
		t.Fatalf("line %d: got nothing, want %s", n+1, want[n])
	}
}

// alone are answers that a hub gives only where it has no Host at all.
var alone = regexp.MustCompile(`No page is open|browser of this hub has ended|is not supported\. .*reload the page in its tab"}}$`)

// play carries out the > lines of a transcript and returns it with the <
// lines that really came.
func play(t *testing.T, st *stage, script string) string {
	var out []string
	for _, line := range strings.Split(strings.TrimRight(script, "\n"), "\n") {
		if strings.HasPrefix(line, "< ") {
			continue
		}
		out = append(out, line)
		step, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		if err := st.do(step); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		synctest.Wait()
		out = append(out, st.take()...)
		if err := st.hub.check(); err != nil {
			t.Fatalf("%s: the hub's books do not agree: %v", line, err)
		}
	}
	st.end()
	return strings.Join(out, "\n") + "\n"
}

// end lets the hosts go, for whom somebody waits.
func (st *stage) end() {
	for _, f := range st.hosts {
		if f.events != nil {
			f.events.HostGone(false)
		}
	}
}

// stage is a hub with the peers of a transcript.
type stage struct {
	hub     *Hub
	dress   func(bridge.Host) bridge.Host // makes another kind of Host of each; nil for none
	ids     int
	beside  bool   // a Host that the transcript does not know is there
	over    func() // ends what "browser comes" has begun
	clients map[string]*Client
	hosts   map[string]*fakeHost
	lines   []string // what peers got in this step, with the peer's name first
}

func newStage(t testing.TB) *stage {
	st := &stage{clients: map[string]*Client{}, hosts: map[string]*fakeHost{}}
	names := []string{"BROWSER", "CONTEXT"}
	address := func(string) string { return "http://hub/shell?app=URL" }
	link := func(_, ticket string) string { return "http://hub/#handoff=" + ticket }
	st.hub = newHub(t, Options{PageAddress: address, HandoffURL: link, NewID: func() string {
		if len(names) > 0 {
			name := names[0]
			names = names[1:]
			return name
		}
		st.ids++
		return "S" + strconv.Itoa(st.ids)
	}})
	return st
}

func (st *stage) got(peer, format string, args ...any) {
	st.lines = append(st.lines, "< "+peer+" "+fmt.Sprintf(format, args...))
}

// take returns what peers got, sorted by peer: only the order within a peer
// is promised, and not that in which the sessions of a Client that leaves are
// released.
func (st *stage) take() []string {
	lines := st.lines
	st.lines = nil
	slices.SortStableFunc(lines, func(a, b string) int {
		x, y := strings.Fields(a), strings.Fields(b)
		if x[1] == y[1] && x[2] == "release" && y[2] == "release" {
			return strings.Compare(a, b)
		}
		return strings.Compare(x[1], y[1])
	})
	return lines
}

func (st *stage) do(step string) error {
	who, what, _ := strings.Cut(step, " ")
	switch {
	case who == "wait":
		d, err := time.ParseDuration(what)
		time.Sleep(d)
		return err
	case who == "person":
		st.person(strings.Fields(what))
		return nil
	case who == "browser" && what == "comes":
		st.over = st.hub.Control().ExpectBrowser()
		return nil
	case who == "browser":
		st.over()
		return nil
	case strings.HasPrefix(who, "host"):
		return st.host(who, strings.SplitN(what, " ", 2))
	case what == "leave":
		st.clients[who].Leave()
		return nil
	case strings.HasPrefix(what, "succeeds "):
		old := st.clients[strings.TrimPrefix(what, "succeeds ")]
		st.clients[who].Succeed(old)
		old.Leave()
		return nil
	case who == "dialog":
		return st.dialog(strings.SplitN(what, " ", 3))
	case strings.HasPrefix(what, "page "):
		c, err := st.hub.JoinPage(st.peer(who), policyOf(who), strings.TrimPrefix(what, "page "), func() { st.got(who, "gone") })
		st.clients[who] = c
		return err
	}
	c := st.clients[who]
	if c == nil {
		var err error
		if c, err = st.hub.Admit(ClientOptions{Policy: policyOf(who), Name: who}); err != nil {
			return err
		}
		c.Connect(st.peer(who))
		st.clients[who] = c
	}
	c.Receive([]byte(what))
	return nil
}

// policyOf gives the Clients own1, own1b and own2 tabs of their own: the first two have
// them in common.
func policyOf(who string) Policy {
	if strings.HasPrefix(who, "own") {
		return OwnTabs{allowAll, who[:len("own1")]}
	}
	return nil
}

// dialog opens a dialog as a Frame Agent that knows the Target's key.
func (st *stage) dialog(words []string) error {
	d := Dialog{TargetID: words[0], FrameID: words[0], URL: "http://app/" + words[0], Type: words[1], Message: words[2], Default: "preset"}
	st.hub.mu.Lock()
	if slot := st.hub.dialogs[d.TargetID]; slot != nil {
		d.Key = slot.key
	}
	st.hub.mu.Unlock()
	go func() {
		a, err := st.hub.Control().OpenDialog(context.Background(), d)
		st.hub.mu.Lock() // as every other line comes
		defer st.hub.mu.Unlock()
		switch {
		case err != nil:
			st.got("dialog", "%s %v", d.TargetID, err)
		case a.Native:
			st.got("dialog", "%s native", d.TargetID)
		case a.Accept:
			st.got("dialog", "%s accept %s", d.TargetID, a.Text)
		default:
			st.got("dialog", "%s dismiss", d.TargetID)
		}
	}()
	return nil
}

// person opens the link of a handoff, or ends the handoff.
func (st *stage) person(words []string) {
	if words[0] != "opens" {
		if st.hub.Control().AnswerHandoff(words[1], "", HandoffReason(words[0]) == HandoffDone) != nil {
			st.got("person", "refused")
		}
		return
	}
	if key, err := st.hub.Control().OpenHandoff(words[1], Opener{}); err == nil {
		st.got("person", "key %s", key)
	} else {
		st.got("person", "refused")
	}
}

func (st *stage) host(name string, words []string) error {
	f := st.hosts[name]
	if f == nil {
		f = &fakeHost{stage: st, name: name}
		st.hosts[name] = f
	}
	rest := ""
	if len(words) == 2 {
		rest = words[1]
	}
	verb := words[0]
	a := strings.SplitN(rest, " ", 3)
	for len(a) < 3 {
		a = append(a, "")
	}
	switch verb {
	case "ready":
		return f.ready(strings.Fields(rest))
	case "created":
		id, opener, _ := strings.Cut(a[0], "<")
		f.events.TargetCreated(targets.Info{OpenerID: opener, ID: id, Title: a[1], URL: a[2]})
	case "changed":
		f.events.TargetChanged(targets.Info{ID: a[0], Title: a[1], URL: a[2]})
	case "gone":
		f.events.TargetGone(a[0])
	case "event":
		f.events.Event(a[0], a[1], []byte(a[2]))
	case "session-event":
		f.events.SessionEvent(a[0], a[1], []byte(a[2]))
	case "sessions-event":
		f.events.SessionsEvent(strings.Split(a[0], ","), a[1], []byte(a[2]))
	case "result", "error":
		return f.answer(verb, a)
	case "opened":
		targetID, kind, _ := strings.Cut(a[2], " ")
		f.events.Opened(bridge.Nested{Parent: a[0], SessionID: a[1], TargetID: targetID, Type: kind})
	case "closed":
		f.events.Closed(a[0])
	case "fails":
		f.events.Fail(a[0], wire.ServerError(strings.TrimSpace(strings.Join(a[1:], " "))))
	case "refuses":
		f.refuses, f.why = a[0], a[1]+" "+a[2]
	case "full":
		f.full = true
	case "hangs":
		f.full, f.hung = true, true
	case "lost", "leaves":
		f.events.HostGone(verb == "lost")
		f.lost = true
	default:
		return fmt.Errorf("unknown word %q", verb)
	}
	return nil
}

// peer makes a Client's connection that writes down what it gets.
func (st *stage) peer(name string) session.Peer {
	p := session.NewEncoder(fakePeer{st, name})
	if strings.HasPrefix(name, "last") {
		return lastingPeer{p, st, name}
	}
	return p
}

// lastingPeer is a Peer of a Client that outlives its connections.
type lastingPeer struct {
	*session.Encoder
	st   *stage
	name string
}

func (p lastingPeer) BrowserEnded() { p.st.got(p.name, "browser ended") }

// fakePeer writes down what a Client gets.
type fakePeer struct {
	st   *stage
	name string
}

func (p fakePeer) Deliver(f wire.Frame) bool {
	b := f.AppendTo(nil)
	if !wire.Valid(b) {
		panic(fmt.Sprintf("not JSON: %s", b))
	}
	p.st.got(p.name, "%s", b)
	return true
}
