package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// twoTokens are two Clients' tokens, and a Host's.
func twoTokens(o *Options, t *testing.T) {
	t.Helper()
	change, _ := withFile(t, "tokens:\n  - {name: a, token: "+ownToken+", role: client, scope: full}\n"+
		"  - {name: b, token: "+strangerToken+", role: client, scope: full}\n  - {token: "+hostToken+", role: host}\n")
	change(o)
}

// roamers are nodes with a Host page at the first, whose Clients need tokens.
func roamers(t *testing.T, all *cluster.Memory, names string) (nodes []node, host *far) {
	t.Helper()
	nodes = startNodes(t, all, names, func(o *Options) { twoTokens(o, t) })
	return nodes, nodes[0].page(t)
}

// page is the Host page, which comes back with the same id.
func (n node) page(t *testing.T) *far {
	t.Helper()
	h := dial(t, "ws://"+n.addr(true)+"/icdp/host", bearer(hostToken))
	h.send(namedReady)
	await(t, "the Host page is there", func() bool {
		_, body := n.get(t, n.addr(false), "/icdp/status", bearer(ownToken))
		return strings.Contains(body, `"hostConnected":true`)
	})
	return h
}

// TestR214SessionsOutliveADrainedNode has the owner of a hub drain, while a command of a
// Client is at the Host page and messages wait for another Client that is away.
func TestR214SessionsOutliveADrainedNode(t *testing.T) {
	nodes, host := roamers(t, new(cluster.Memory), "abc")
	a, b, c := nodes[0], nodes[1], nodes[2]
	client := c.namedClient(t, "session=work&resume=on&name=agent&grace=10m", ownToken)
	stream := streamOf(t, client.next())
	client.send(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"filter":[{"type":"tab"}]}}`)
	tab := between(t, client.until("Target.attachedToTarget"), `"targetInfo":{"targetId":"`)
	client.until(`"id":1,`)
	id := client.attach()
	tail := `,"sessionId":"` + id + `"}`
	client.send(`{"id":3,"method":"Page.enable"` + tail)
	host.send(readCommand(t, host.until("Page.enable")).result(`{}`))
	client.wants(`{"id":3,"result":{}` + tail)
	received := 6 // attachedToTarget, its answer, attachedToTarget, its answer, targetInfoChanged is for nobody, and the last
	away := a.namedClient(t, "session=away&resume=on", ownToken)
	awayStream := streamNamed(t, away.next(), "away")
	awayTail := `,"sessionId":"` + away.attach() + `"}`
	away.Conn.Close(wsconn.ReasonGone)
	a.awaitAway(t, ownToken)
	host.send(`{"kind":"event","targetId":"T1","method":"Page.loadEventFired","params":{"timestamp":1}}`)
	client.wants(`{"method":"Page.loadEventFired","params":{"timestamp":1}` + tail)

	a.stop()
	a.counts(t, `cdphub_cluster_handover_seconds_count{outcome="taken"} 1`, `cdphub_cluster_sessions_moved_total{how="given"} 2`)
	if why := client.reason(); why != wsconn.ReasonShutdown {
		t.Errorf("the Client was closed with %v", why)
	}
	if why := host.reason(); why != wsconn.ReasonShutdown {
		t.Errorf("the Host page was closed with %v", why)
	}
	if o, err := b.dir.Owner(t.Context(), ""); err != nil || o.Node.Name == "a" {
		t.Fatalf("the hub is owned by %v, %v", o, err)
	}
	holder(t, nodes[1:]).counts(t, `cdphub_cluster_sessions_moved_total{how="taken"} 2`)
	if got := b.refusal(t, "/devtools/browser?session=work&resume="+stream+".0", strangerToken); got.status != http.StatusForbidden {
		t.Errorf("another token: %d %s", got.status, got.body)
	}
	client = b.namedClient(t, fmt.Sprintf("session=work&resume=%s.%d", stream, received-1), ownToken)
	if m := client.next(); streamOf(t, m) != stream || !strings.Contains(m, `"received":3}`) {
		t.Errorf("the other node says %s", m)
	}
	client.wants(`{"method":"Page.loadEventFired","params":{"timestamp":1}` + tail)
	client.send(`{"id":4,"method":"Page.getFrameTree"` + tail) // waits for the Host page

	host = c.page(t) // comes back
	for range 2 {
		if m := host.until(`"attached"`); !strings.Contains(m, tail[1:len(tail)-1]) && !strings.Contains(m, awayTail[1:len(awayTail)-1]) {
			t.Errorf("the Host page hears of %s", m)
		}
	}
	host.until(`"resumed"`)
	host.send(readCommand(t, host.until("Page.getFrameTree")).result(`{}`))
	client.wants(`{"id":4,"result":{}` + tail)
	client.send(`{"id":5,"method":"Page.disable"` + tail)
	host.send(readCommand(t, host.until("Page.disable")).result(`{}`))
	client.wants(`{"id":5,"result":{}` + tail)
	client.send(`{"id":6,"method":"Target.getTargets","params":{"filter":[{"type":"tab"}]}}`)
	if m := client.until(`"id":6,`); !strings.Contains(m, tab) {
		t.Errorf("the tab is not %s any more: %s", tab, m)
	}
	host.send(`{"kind":"targetCreated","target":{"targetId":"T2","title":"Two","url":"http://app/2"}}`)
	if m := client.until("Target.attachedToTarget"); !strings.Contains(m, "-T2") {
		t.Errorf("auto-attach goes on with %s", m)
	}
	away = c.namedClient(t, "session=away&resume="+awayStream+".2", ownToken)
	if m := away.next(); !strings.Contains(m, awayStream) {
		t.Errorf("the other session: %s", m)
	}
	away.wants(`{"method":"Page.loadEventFired","params":{"timestamp":1}` + awayTail)
}

// owns reports whether a node owns a hub.
func owns(t *testing.T, n node, hub string) bool {
	o, err := n.dir.Owner(t.Context(), hub)
	return err == nil && o.Node.ID == n.cluster.ID
}

// holder is the node that owns the hub at the root.
func holder(t *testing.T, nodes []node) node {
	t.Helper()
	i := slices.IndexFunc(nodes, func(n node) bool { return owns(t, n, "") })
	if i < 0 {
		t.Fatal("none of these nodes has the hub")
	}
	return nodes[i]
}

// counts wants the metrics of a node to have these lines.
func (n node) counts(t *testing.T, lines ...string) {
	t.Helper()
	got := httptest.NewRecorder()
	promhttp.HandlerFor(n.operators.Registry(), promhttp.HandlerOpts{}).ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	for _, line := range lines {
		if !strings.Contains(got.Body.String(), line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

// between is the text from a mark to the next quote.
func between(t *testing.T, m, mark string) string {
	t.Helper()
	_, text, there := strings.Cut(m, mark)
	text, _, _ = strings.Cut(text, `"`)
	if !there || text == "" {
		t.Fatalf("there is no %s in %s", mark, m)
	}
	return text
}

func streamNamed(t *testing.T, m, name string) string {
	t.Helper()
	return between(t, m, `{"method":"CdpHub.session","params":{"session":"`+name+`","stream":"`)
}

// noted waits until the note of a hub in the directory has a text.
func (n node) noted(t *testing.T, hub, want string) string {
	t.Helper()
	var note []byte
	await(t, "the note has "+want, func() bool {
		note, _ = n.dir.Left(t.Context(), hub)
		return strings.Contains(string(note), want)
	})
	return string(note)
}

// TestR214SessionsOutliveADeadNode has the owner of a hub vanish, as the other nodes see
// it, and come back when its hub is another node's.
func TestR214SessionsOutliveADeadNode(t *testing.T) {
	t.Parallel()
	nodes, host := roamers(t, new(cluster.Memory), "abc")
	a, b, c := nodes[0], nodes[1], nodes[2]
	client := c.namedClient(t, "session=work&resume=on&grace=10m", ownToken)
	stream := streamOf(t, client.next())
	id := client.attach() // messages 1 and 2
	tail := `,"sessionId":"` + id + `"}`
	if note := b.noted(t, "", id); strings.Contains(note, ownToken) || strings.Contains(note, hostToken) {
		t.Errorf("a token is in the note %s", note)
	}

	a.dir.Sever(true)
	if why := client.reason(); why.Code != wsconn.ReasonGone.Code {
		t.Errorf("the Client was closed with %v", why)
	}
	for query, want := range map[string]struct {
		token  string
		status int
	}{
		stream + ".2":         {ownToken, http.StatusGone}, // nobody knows which of its messages have come
		"S" + stream + ".2.1": {ownToken, http.StatusGone},
		stream + ".2.1":       {strangerToken, http.StatusForbidden},
	} {
		if got := b.refusal(t, "/devtools/browser?session=work&resume="+query, want.token); got.status != want.status {
			t.Errorf("%s: %d %s, want %d", query, got.status, got.body, want.status)
		}
	}
	host.send(`{"kind":"event","targetId":"T1","method":"Page.loadEventFired","params":{"timestamp":1}}`) // lost
	back := c.page(t)
	if m := back.until(`"attached"`); !strings.Contains(m, tail[1:len(tail)-1]) {
		t.Errorf("the Host page hears of %s", m)
	}
	holder(t, nodes[1:]).counts(t, `cdphub_cluster_sessions_moved_total{how="restored"} 1`)
	client = c.namedClient(t, "session=work&resume="+stream+".2.1", ownToken)
	if m := client.next(); streamOf(t, m) != stream || !strings.Contains(m, `"received":1}`) {
		t.Errorf("the other node says %s", m)
	}
	client.wants(`{"method":"CdpHub.gap","params":{"from":3,"to":3}}`)
	client.send(`{"id":2,"method":"Page.enable"` + tail)
	back.send(readCommand(t, back.until("Page.enable")).result(`{}`))
	client.wants(`{"id":2,"result":{}` + tail)
	client.Conn.Close(wsconn.ReasonGone)
	client = b.namedClient(t, "session=work&resume="+stream+".3.2", ownToken)
	if m := client.next(); !strings.Contains(m, `"sent":4,"received":2}`) {
		t.Errorf("after the next loss: %s", m)
	}
	client.wants(`{"id":2,"result":{}` + tail)

	a.dir.Sever(false)
	if why := host.reason(); why.Text != wsconn.ReasonReplaced.Text {
		t.Errorf("the older connection of the Host page was closed with %v", why)
	}
	await(t, "the node that is back has no session", func() bool { return len(a.sessions()) == 0 })
	client.send(`{"id":3,"method":"Page.enable"` + tail)
	back.until("Page.enable")
}

// TestR215BrowsersEndWithTheirNode has nodes end that have the browser of a session, and
// wants no other node to begin another one of that name unasked.
func TestR215BrowsersEndWithTheirNode(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(t *testing.T, n, other node){
		"drained": func(_ *testing.T, n, _ node) { n.stop() },
		"dead": func(t *testing.T, n, other node) {
			other.noted(t, "mine", `"name":"other"`)
			other.noted(t, "mine", "ended on request")
			n.dir.Sever(true)
		},
	} {
		t.Run(what, func(t *testing.T) {
			nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) { o.Browsers = fakeBrowsers(works, "mine") })
			a, b := nodes[0], nodes[1]
			const socket = "/hub/mine/devtools/browser?session="
			gone := dial(t, "ws://"+a.addr(false)+socket+"gone&resume=on", nil)
			gone.next()
			client := dial(t, "ws://"+b.addr(false)+socket+"work&resume=on", nil)
			stream := streamOf(t, client.next())
			if status := endsAt(t, b.addr(false)+"/hub/mine", "gone", ""); status != http.StatusNoContent {
				t.Fatal(status)
			}
			gone.reason()
			other := dial(t, "ws://"+a.addr(false)+socket+"other&resume=on", nil)
			other.next()
			end(t, a, b)
			client.reason()
			for query, want := range map[string]string{
				"work": "browser has ended", "work&resume=on": "browser has ended", "work&resume=" + stream + ".0": "browser has ended",
				"other": "browser has ended", "gone": "ended on request",
			} {
				if got := b.refusal(t, socket+query, ""); got.status != http.StatusGone || !strings.Contains(got.body, want) {
					t.Errorf("%s: %d %s, want 410 and that %s", query, got.status, got.body, want)
				}
			}
			dial(t, "ws://"+b.addr(false)+socket+"work&fresh=true", nil).Conn.Close(wsconn.ReasonNormal)
			other.Conn.Close(wsconn.ReasonNormal)
		})
	}
}

// TestR214JournalOfMegabytes hands over more than fits into one write, past a node that ends, too.
func TestR214JournalOfMegabytes(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "abc", func(o *Options) {
		twoTokens(o, t)
		o.Drain = time.Minute // for the handover: a busy machine may need more than the 5 s that handoverWithin adds
	})
	a, b := nodes[0], nodes[1]
	if err := nodes[2].dir.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	host := a.page(t)
	client := a.namedClient(t, "session=work&resume=on", ownToken)
	stream := streamOf(t, client.next())
	client.attach()
	client.Conn.Close(wsconn.ReasonGone)
	a.awaitAway(t, ownToken)
	const events = 80
	big := strings.Repeat("x", 64<<10)
	for n := range events {
		host.send(fmt.Sprintf(`{"kind":"event","targetId":"T1","method":"Page.loadEventFired","params":{"n":%d,"big":"%s"}}`, n, big))
	}
	await(t, "all events have come", func() bool { return a.Stats().EventsIn == events })
	a.stop()
	client = b.namedClient(t, "session=work&resume="+stream+".2", ownToken)
	client.next()
	for n := range events {
		if m := client.next(); !strings.Contains(m, fmt.Sprintf(`{"n":%d,"big"`, n)) || len(m) < len(big) {
			t.Fatalf("event %d is %.200s", n, m)
		}
	}
	b.stop()
	b.counts(t, `cdphub_cluster_handover_seconds_count{outcome="failed"} 1`) // there is no other node that stays
}

// TestR215BrowsersOfExtensionsEndToo has a session on a browser that has connected as a
// Host: what it had there is gone with the connection.
func TestR215BrowsersOfExtensionsEndToo(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, new(cluster.Memory), "ab", nil)
	a, b := nodes[0], nodes[1]
	host := a.hostOf(t, `{"kind":"ready","v":1,"features":["browser"],"targets":[]}`)
	host.until(`"accepted"`)
	client := b.namedClient(t, "session=work&resume=on", "")
	stream := streamOf(t, client.next())
	client.send(`{"id":1,"method":"Target.getTargets"}`)
	host.until("Target.getTargets")
	b.noted(t, "", `"lost":true`)
	a.dir.Sever(true)
	client.reason()
	for _, query := range []string{"", "&resume=" + stream + ".1.1"} {
		if got := b.refusal(t, "/devtools/browser?session=work"+query, ""); got.status != http.StatusGone || !strings.Contains(got.body, "browser has ended") {
			t.Errorf("%s: %d %s, want 410", query, got.status, got.body)
		}
	}
}

// countedDirectory counts what the owner of hubs notes, and loses answers.
type countedDirectory struct {
	cluster.Directory
	notes      *atomic.Int32
	unanswered *atomic.Bool // nil: all are answered
}

func (d countedDirectory) Claim(ctx context.Context, hub string, after cluster.Epoch) (cluster.Claim, error) {
	c, err := d.Directory.Claim(ctx, hub, after)
	return countedClaim{c, d}, err
}

type countedClaim struct {
	cluster.Claim
	d countedDirectory
}

func (c countedClaim) Note(ctx context.Context, text []byte) error {
	c.d.notes.Add(1)
	err := c.Claim.Note(ctx, text)
	if c.d.unanswered != nil && c.d.unanswered.Load() {
		return cluster.ErrUncertain
	}
	return err
}

// TestR214NotesThatSayTheSame has a Client send commands that change nothing of what its
// session has: no note is written for them.
func TestR214NotesThatSayTheSame(t *testing.T) {
	t.Parallel()
	var notes atomic.Int32
	nodes := startNodes(t, new(cluster.Memory), "a", func(o *Options) {
		twoTokens(o, t)
		o.Cluster.Directory = countedDirectory{o.Cluster.Directory, &notes, nil}
	})
	a := nodes[0]
	a.page(t)
	client := a.namedClient(t, "session=work&resume=on", ownToken)
	a.noted(t, "", client.attach())
	before := notes.Load()
	for i := range 20 {
		client.send(fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion"}`, 100+i))
		client.until(fmt.Sprintf(`"id":%d,`, 100+i))
		time.Sleep(100 * time.Millisecond)
	}
	if n := notes.Load() - before; n > 0 {
		t.Errorf("%d notes were written that say the same as the one before", n)
	}
}

// TestR214NotesWithoutAnswer has the note of a hub come through without an answer. It says
// what the last answered one says again a moment later, and has to be written all the same.
func TestR214NotesWithoutAnswer(t *testing.T) {
	t.Parallel()
	var notes atomic.Int32
	var unanswered atomic.Bool
	nodes := startNodes(t, new(cluster.Memory), "a", func(o *Options) {
		twoTokens(o, t)
		o.Cluster.Directory = countedDirectory{o.Cluster.Directory, &notes, &unanswered}
	})
	a := nodes[0]
	a.page(t)
	client := a.namedClient(t, "session=work&resume=on", ownToken)
	session := client.attach()
	a.noted(t, "", session)
	unanswered.Store(true)
	before := notes.Load()
	a.named.Touch("")
	client.send(`{"id":100,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
	await(t, "a note has no answer", func() bool { return notes.Load() > before })
	client.send(`{"id":101,"method":"Target.setDiscoverTargets","params":{"discover":false}}`)
	client.until(`"id":101,`)
	unanswered.Store(false)
	before = notes.Load()
	await(t, "the note is written again", func() bool { return notes.Load() > before })
}
