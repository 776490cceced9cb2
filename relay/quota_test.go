package relay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/targets"
)

// sharedHub is a hub for a number of tokens.
func sharedHub(t testing.TB, l Limits) *Hub {
	return newHub(t, Options{Limits: l, Quotas: quota.New(quota.Options{Bearers: func(role string) int {
		if role == "client" {
			return 10
		}
		return 0
	}})})
}

// joinAs adds a Client of a token.
func joinAs(t *testing.T, h *Hub, token string) (*Client, *inbox) {
	t.Helper()
	p := &inbox{}
	c, err := h.Admit(ClientOptions{Payer: quota.Payer{ID: token}})
	if err != nil {
		t.Fatal(err)
	}
	c.Connect(p)
	return c, p
}

// send sends n commands and returns how many were refused for a limit.
func send(c *Client, p *inbox, n int, command string) (refused int) {
	p.take()
	for i := range n {
		c.Receive([]byte(strings.ReplaceAll(command, "ID", fmt.Sprint(i))))
	}
	for _, m := range p.take() {
		if strings.Contains(m, "Too many") {
			refused++
		}
	}
	return refused
}

// TestR247Clients has one token fill a hub with Clients.
func TestR247Clients(t *testing.T) {
	h := sharedHub(t, Limits{Clients: 40})
	var all []*Client
	for {
		c, err := h.Admit(ClientOptions{Payer: quota.Payer{ID: "A"}})
		if err != nil {
			if !errors.Is(err, ErrTooManyClients) || !quota.IsPart(err) {
				t.Errorf("the refusal: %v", err)
			}
			break
		}
		all = append(all, c)
	}
	if len(all) > 21 {
		t.Errorf("one token has %d of 40 Clients", len(all))
	}
	joinAs(t, h, "B")
	joinAs(t, h, "admin")
	all[0].Leave()
	all[0], _ = joinAs(t, h, "A")
	for _, c := range all {
		c.Leave()
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// TestR247Calls has many Clients of one token send commands that are never answered.
func TestR247Calls(t *testing.T) {
	h := sharedHub(t, Limits{ClientCalls: 50, Calls: 400})
	setHost(h, &mute{}, list(2))
	const attach = `{"id":ID,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`
	refused := 0
	for range 10 {
		c, p := joinAs(t, h, "A")
		send(c, p, 1, attach)
		refused += send(c, p, 50, `{"id":ID,"method":"Page.enable","sessionId":"`+onlySession(c)+`"}`)
	}
	if refused < 200 {
		t.Errorf("%d of 500 commands of one token were refused", refused)
	}
	for _, other := range []string{"B", "admin"} {
		c, p := joinAs(t, h, other)
		send(c, p, 1, attach)
		if n := send(c, p, 20, `{"id":ID,"method":"Page.enable","sessionId":"`+onlySession(c)+`"}`); n > 0 {
			t.Errorf("%d commands of %s were refused", n, other)
		}
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
	// What to do comes after the message that Clients know.
	c, p := joinAs(t, h, "A")
	send(c, p, 1, attach)
	c.Receive([]byte(`{"id":1,"method":"Page.enable","sessionId":"` + onlySession(c) + `"}`))
	if got := strings.Join(p.take(), ""); !strings.Contains(got, `"message":"Too many commands in flight: wait for answers before sending more. This token has `) {
		t.Errorf("got %s", got)
	}
}

// TestR247Sessions has one token fill a hub with sessions, by itself and by auto-attach.
func TestR247Sessions(t *testing.T) {
	h := sharedHub(t, Limits{Sessions: 100})
	setHost(h, &mute{}, list(30))
	for range 5 {
		c, p := joinAs(t, h, "A")
		send(c, p, 1, `{"id":ID,"method":"Target.setAutoAttach","params":{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}}`)
		send(c, p, 30, `{"id":ID,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`)
	}
	if n := h.sessions.len(); n > 55 {
		t.Errorf("one token has %d of 100 sessions", n)
	}
	c, p := joinAs(t, h, "B")
	if n := send(c, p, 10, `{"id":ID,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`); n > 0 {
		t.Errorf("%d sessions of another token were refused", n)
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// TestR247Parked has one token fill the room for commands that wait for a browser.
func TestR247Parked(t *testing.T) {
	h := sharedHub(t, Limits{})
	defer h.Control().ExpectBrowser()()
	const command = `{"id":ID,"method":"Target.createBrowserContext"}`
	a, p := joinAs(t, h, "A")
	send(a, p, 200, command)
	before := len(h.awaited.parked.list)
	if before == 0 || before > 33 {
		t.Errorf("one token has %d commands that wait", before)
	}
	b, p := joinAs(t, h, "B")
	send(b, p, 1, command)
	if len(h.awaited.parked.list) != before+1 {
		t.Error("a command of another token does not wait")
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
	a.Leave()
	b.Leave()
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// TestR247Paused has one token fill the room for commands that wait for a person.
func TestR247Paused(t *testing.T) {
	h := sharedHub(t, Limits{})
	l := &lease{side: &side{hub: h}}
	a, _ := joinAs(t, h, "A")
	b, _ := joinAs(t, h, "B")
	h.mu.Lock()
	defer h.mu.Unlock()
	l.Wait = 1 << 40
	kept := 0
	for kept < 300 && l.keep(&request{client: a}) { // 300: an end where nothing limits
		kept++
	}
	if kept == 0 || kept > 130 {
		t.Errorf("%d commands of one token wait", kept)
	}
	if !l.keep(&request{client: b}) {
		t.Error("a command of another token does not wait")
	}
	l.kept.forget(a)
	l.kept.forget(b)
	if n := len(l.kept.list); n != 0 {
		t.Errorf("%d commands stay", n)
	}
}

// TestR247Hubs has one token make hubs until it gets no more.
func TestR247Hubs(t *testing.T) {
	hs := NewHubs(Options{Quotas: quota.New(quota.Options{
		Bearers: func(string) int { return 5 }, Totals: map[quota.Resource]int64{quota.Hubs: 20},
	})})
	made := 0
	for ; made < 20; made++ { // 20: an end where nothing limits
		if _, _, err := hs.AcquireFor(quota.Payer{ID: "A"}, fmt.Sprint("a", made)); err != nil {
			if !errors.Is(err, ErrTooManyHubs) || !strings.Contains(err.Error(), "its part") {
				t.Error(err)
			}
			break
		}
	}
	if made > 11 {
		t.Errorf("one token has %d of 20 hubs", made)
	}
	if _, _, err := hs.AcquireFor(quota.Payer{ID: "B"}, "b"); err != nil {
		t.Errorf("another token: %v", err)
	}
	if _, _, err := hs.AcquireFor(quota.Payer{ID: "A"}, "b"); err != nil {
		t.Errorf("a hub that is there: %v", err)
	}
}

// TestR247Uploads has one token read files for as many commands as it gets, while
// their Host takes none.
func TestR247Uploads(t *testing.T) {
	h := newHub(t, Options{
		Quotas: quota.New(quota.Options{Bearers: func(string) int { return 5 }}),
		Upload: func(p []byte, take func(int64) error) ([]byte, error) {
			return p, take(quota.Table[quota.Uploads].Total / 8)
		},
	})
	setHost(h, &everything{}, list(1))
	taken := h.opts.Quotas.Process(quota.Uploads).Open(quota.Payer{ID: "A"})
	const command = `{"id":ID,"method":"DOM.setFileInputFiles","params":{"files":["/a"],"nodeId":1},"sessionId":"SESSION"}`
	for _, tt := range []struct {
		token string
		busy  int64 // eighths that are being uploaded
		want  bool
	}{{"A", 0, true}, {"A", 2, true}, {"A", 5, false}, {"B", 5, true}} {
		c, p := joinAs(t, h, tt.token)
		send(c, p, 1, `{"id":ID,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`)
		taken.Add(tt.busy*quota.Table[quota.Uploads].Total/8 - taken.Used())
		c.Receive([]byte(strings.ReplaceAll(strings.ReplaceAll(command, "ID", "1"), "SESSION", onlySession(c))))
		if got := strings.Join(p.take(), ""); strings.Contains(got, "its part") == tt.want {
			t.Errorf("%s, with %d eighths by A: %s", tt.token, tt.busy, got)
		}
	}
}

// accounting is a browser that writes down whose sessions it has.
type accounting struct {
	mute
	wholeBrowser
	accounts []string
}

func (h *accounting) Attached(a bridge.Attachment)          { h.accounts = append(h.accounts, a.Account) }
func (h *accounting) AttachedToBrowser(a bridge.Attachment) { h.Attached(a) }

// TestR243HostsKnowWhoPays wants a browser to know of each Client on whose behalf it is there:
// also a Client that shows itself as somebody else, such as the guest of a handoff.
func TestR243HostsKnowWhoPays(t *testing.T) {
	h, host := sharedHub(t, Limits{}), &accounting{}
	setHost(h, host, list(1))
	for _, o := range []ClientOptions{
		{Payer: quota.Payer{ID: "A", Name: "ci"}, Account: "guest"},
		{Payer: quota.Payer{ID: "A"}},
		{Payer: quota.Payer{ID: "B"}, Account: "A"},
		{},
	} {
		c, err := h.Admit(o)
		if err != nil {
			t.Fatal(err)
		}
		c.Connect(&inbox{})
		c.Receive([]byte(`{"id":1,"method":"Browser.getVersion"}`))
	}
	if want := []string{"A", "A", "B", ""}; !slices.Equal(host.accounts, want) {
		t.Errorf("the browser's Clients are of %q, want %q", host.accounts, want)
	}
}

// TestR247Tabs has one token open the tabs of a browser, by commands and by its pages, and
// leave: they are its own until they end.
func TestR247Tabs(t *testing.T) {
	h := sharedHub(t, Limits{})
	host := &browserKeeper{}
	events := setHost(h, host, list(1))
	opened := 0
	open := func(c *Client, p *inbox) (refused bool) {
		if send(c, p, 1, `{"id":ID,"method":"Target.createTarget","params":{"url":"about:blank"}}`) > 0 {
			return true
		}
		opened++
		id := fmt.Sprint("N", opened)
		events.TargetCreated(targets.Info{ID: id})
		events.Result(h.calls.last, rootOf(c).ID, []byte(`{"targetId":"`+id+`"}`), nil)
		return false
	}
	c, p := joinAs(t, h, "A")
	for !open(c, p) {
	}
	if opened > 510 {
		t.Errorf("one token has %d of 1000 tabs", opened)
	}
	events.TargetCreated(targets.Info{ID: "window", OpenerID: "N1"})
	if n := h.tabs["window"].Used(); n != int64(opened)+1 {
		t.Errorf("the token has %d tabs, with the window of its page there are %d", n, opened+1)
	}
	c.Leave()
	if err := h.check(); err != nil {
		t.Error(err)
	}
	if c, p = joinAs(t, h, "A"); !open(c, p) {
		t.Error("a new Client of the token opened one tab more")
	}
	b, inbox := joinAs(t, h, "B")
	if open(b, inbox) {
		t.Error("another token could not open a tab")
	}
	for _, id := range []string{"window", "N1"} {
		events.TargetGone(id)
	}
	if open(c, p) {
		t.Error("a tab has ended, and no other could be opened")
	}
	// A command that fails has opened none.
	send(b, inbox, 1, `{"id":ID,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	events.Result(h.calls.last, rootOf(b).ID, nil, []byte(`{"code":-32000,"message":"no"}`))
	if n := b.account.tabs.Used(); n != 1 {
		t.Errorf("B has opened a tab, and counts %d", n)
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
	events.HostGone(false)
	if len(h.tabs) > 0 || b.account.tabs.Used() > 0 {
		t.Errorf("the browser has gone, and %d tabs are counted", len(h.tabs))
	}
}

// TestR350LimitsOfAToken gives a token limits of its own, which are less than its part.
func TestR350LimitsOfAToken(t *testing.T) {
	h := sharedHub(t, Limits{})
	events := setHost(h, &browserKeeper{}, list(3))
	own, err := quota.ReadLimits(map[string]int64{"clients": 2, "tabs": 0, "sessions": 1})
	if err != nil {
		t.Fatal(err)
	}
	admit := func() (*Client, error) { return h.Admit(ClientOptions{Payer: quota.Payer{ID: "A", Limits: own}}) }
	c, err := admit()
	if err != nil {
		t.Fatal(err)
	}
	p := &inbox{}
	c.Connect(p)
	if _, err = admit(); err != nil {
		t.Fatal(err)
	}
	if _, err = admit(); !errors.Is(err, ErrTooManyClients) || !strings.Contains(err.Error(), "its own limit is 2") {
		t.Errorf("a third Client: %v", err)
	}
	c.Receive([]byte(`{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}`))
	if got := strings.Join(p.take(), "\n"); !strings.Contains(got, `"id":1`) || !strings.Contains(got, "Too many tabs: This token has 0 tabs in the browser of this hub in use, and its own limit is 0: close some, or have the operator raise the limit tabs in the token's entry or claims.") {
		t.Errorf("a tab: %s", got)
	}
	events.HostGone(false)
	setHost(h, &mute{}, list(2))
	if n := send(c, p, 2, `{"id":ID,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`); n != 1 {
		t.Errorf("%d of two sessions were refused, the limit is 1", n)
	}
}
