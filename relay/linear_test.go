package relay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// crowd is a hub with n of something on it.
type crowd struct {
	t    testing.TB
	n    int
	hub  *Hub
	host bridge.Events // of the page's Host, which has n Targets
	ids  int
}

// keeper is a Host that announces itself and takes every command.
type keeper struct{ mute }

// browserKeeper is one that serves the browser level.
type browserKeeper struct {
	keeper
	wholeBrowser
}

// sessionsOn returns the sessions on a target of any kind.
func sessionsOn(h *Hub, targetID string) []*clientSession {
	t, _ := h.find(targetID)
	return t.onLocked(h, targetID)
}

// rootOf returns the session of a Client at the browser level of a Host.
func rootOf(c *Client) *clientSession {
	if s := c.hub.sides.browser(); s != nil {
		return s.roots[c]
	}
	return nil
}

func (keeper) Attached(bridge.Attachment) {}
func (keeper) Handles(method string) bool { return method == "Storage.getCookies" }
func (c *crowd) back(list []targets.Info) bridge.Announcement {
	return bridge.Announcement{HostID: "H", Targets: list}
}

func newCrowd(t testing.TB, n int) *crowd {
	many := 2*n + 10
	c := &crowd{t: t, n: n}
	c.hub = newHub(t, Options{Limits: Limits{Clients: many, ClientSessions: many, ClientCalls: many, Calls: many}})
	var err error
	if c.host, err = c.hub.SetHost(&keeper{}, c.back(list(n))); err != nil {
		t.Fatal(err)
	}
	return c
}

// client joins, and sends messages without ids.
func (c *crowd) client(p Policy, messages ...string) *Client {
	client, err := c.hub.Join(&sink{}, p)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, m := range messages {
		c.send(client, m)
	}
	return client
}

func (c *crowd) send(client *Client, m string) {
	c.ids++
	client.Receive(fmt.Appendf(nil, `{"id":%d,%s}`, c.ids, m))
}

// in sends a message in each session of a Client.
func (c *crowd) in(client *Client, m string) *Client {
	var ids []string
	for s := range client.sessions {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	for _, id := range ids {
		c.send(client, fmt.Sprintf(`%s,"sessionId":%q`, m, id))
	}
	return client
}

// times sends a message n times.
func (c *crowd) times(client *Client, m string) *Client {
	for range c.n {
		c.send(client, m)
	}
	return client
}

const (
	discovers   = `"method":"Target.setDiscoverTargets","params":{"discover":true}`
	autoPages   = `"method":"Target.setAutoAttach","params":{"autoAttach":true}`
	autoTabs    = `"method":"Target.setAutoAttach","params":{"autoAttach":true,"filter":[{"type":"page","exclude":true},{}]}`
	autoNone    = `"method":"Target.setAutoAttach","params":{"autoAttach":false}`
	autoNothing = `"method":"Target.setAutoAttach","params":{"autoAttach":true,"filter":[{"exclude":true}]}`
	attachPage  = `"method":"Target.attachToTarget","params":{"targetId":"T0"}`
	onBrowser   = `"method":"Target.attachToBrowserTarget"`
)

// puppeteer drives as Puppeteer does: by tabs, and by the pages inside.
func (c *crowd) puppeteer() *Client { return c.in(c.client(nil, discovers, autoTabs), autoPages) }

// nested has n sessions of the browser, each inside the one before.
func (c *crowd) nested() *Client {
	client := c.client(nil, onBrowser)
	id := onlySession(client)
	for range c.n - 1 {
		known := len(client.sessions)
		c.send(client, fmt.Sprintf(`%s,"sessionId":%q`, onBrowser, id))
		if inside := c.hub.sessionOnLocked(client, c.hub.sessions.get(id), c.hub.browserID); inside != nil {
			id = inside.ID
		}
		if len(client.sessions) != known+1 {
			c.t.Fatal("no session inside the session")
		}
	}
	return client
}

// browser has a browser with n Targets, and a Client with n sessions inside
// its root.
func (c *crowd) browser() (bridge.Events, *Client) {
	l := make([]targets.Info, c.n)
	for i := range l {
		l[i].ID = fmt.Sprintf("B%d", i)
	}
	ev, err := c.hub.SetHost(&browserKeeper{}, bridge.Announcement{Targets: l})
	if err != nil {
		c.t.Fatal(err)
	}
	client := c.client(nil, discovers)
	for i := range c.n {
		ev.Opened(bridge.Nested{SessionID: fmt.Sprintf("N%d", i), TargetID: l[i].ID, Type: "page", Parent: rootOf(client).ID})
	}
	return ev, client
}

// prompt opens a dialog of the first Target, which somebody must want.
func (c *crowd) prompt() <-chan DialogAnswer {
	answer := make(chan DialogAnswer, 1)
	d := Dialog{TargetID: "T0", Key: c.hub.dialogs["T0"].key, Type: "prompt"}
	go func() {
		a, _ := c.hub.Control().OpenDialog(c.t.Context(), d)
		answer <- a
	}()
	for open := false; !open; time.Sleep(time.Millisecond) {
		c.hub.mu.Lock()
		open = c.hub.dialogs["T0"].open != nil
		c.hub.mu.Unlock()
	}
	return answer
}

// endings are what happens with n of something at once, or for each of them: a
// case makes them, and returns what is to be measured.
var endings = map[string]func(c *crowd) (end func()){
	"a Host comes back without its Targets": func(c *crowd) func() {
		c.client(nil, discovers, autoPages)
		return func() { c.hub.SetHost(&keeper{}, c.back(nil)) }
	},
	"without its tabs": func(c *crowd) func() {
		c.puppeteer()
		return func() { c.hub.SetHost(&keeper{}, c.back(nil)) }
	},
	"with other titles": func(c *crowd) func() {
		c.puppeteer()
		l := list(c.n)
		for i := range l {
			l[i].Title = "new"
		}
		slices.Reverse(l)
		return func() { c.hub.SetHost(&keeper{}, c.back(l)) }
	},
	"with others": func(c *crowd) func() {
		c.puppeteer()
		return func() { c.hub.SetHost(&keeper{}, c.back(list(2 * c.n)[c.n:])) }
	},
	"a Host goes": func(c *crowd) func() {
		c.puppeteer()
		return func() { c.host.HostGone(false) }
	},
	"a Host starts anew": func(c *crowd) func() {
		c.puppeteer()
		return func() { c.host.Reannounced(c.back(list(c.n))) }
	},
	"Targets go one by one": func(c *crowd) func() {
		c.puppeteer()
		return func() {
			for i := range c.n {
				c.host.TargetGone(fmt.Sprintf("T%d", i))
			}
		}
	},
	"Targets come one by one": func(c *crowd) func() {
		c.puppeteer()
		return func() {
			for i := range c.n {
				c.host.TargetCreated(targets.Info{ID: fmt.Sprintf("U%d", i)})
			}
		}
	},
	"a Client of pages leaves":                      func(c *crowd) func() { return c.client(nil, discovers, autoPages).Leave },
	"a Client of tabs leaves":                       func(c *crowd) func() { return c.puppeteer().Leave },
	"a Client of sessions inside each other leaves": func(c *crowd) func() { return c.nested().Leave },
	"a Client attaches again to what it is attached to": func(c *crowd) func() {
		client := c.times(c.client(nil, autoPages), attachPage)
		return func() { c.send(client, autoNone); c.send(client, autoPages) }
	},
	"a Client discovers in many sessions": func(c *crowd) func() {
		client := c.times(c.client(nil), attachPage)
		return func() { c.in(client, discovers) }
	},
	"its sessions auto-attach to nothing": func(c *crowd) func() {
		client := c.times(c.client(nil), onBrowser)
		return func() { c.in(client, autoNothing) }
	},
	"onlookers of a dialog leave": func(c *crowd) func() {
		onlooker := c.in(c.times(c.client(watcher{}), attachPage), `"method":"Page.enable"`)
		c.in(c.client(nil, attachPage), `"method":"Page.enable"`)
		c.prompt()
		return onlooker.Leave
	},
	"a browser goes": func(c *crowd) func() {
		ev, _ := c.browser()
		return func() { ev.HostGone(false) }
	},
	"a Client's session of the browser goes": func(c *crowd) func() {
		ev, client := c.browser()
		return func() { ev.Closed(rootOf(client).ID) }
	},
	"its sessions go one by one": func(c *crowd) func() {
		ev, _ := c.browser()
		return func() {
			for i := range c.n {
				ev.Closed(fmt.Sprintf("N%d", i))
				ev.TargetGone(fmt.Sprintf("B%d", i))
			}
		}
	},
	"Clients with a command at browser level leave": func(c *crowd) func() {
		all := make([]*Client, c.n)
		for i := range all {
			all[i] = c.client(nil, `"method":"Storage.getCookies"`)
		}
		return func() {
			for _, client := range all {
				client.Leave()
			}
		}
	},
	"commands fail": func(c *crowd) func() {
		client := c.client(nil, attachPage)
		c.times(client, fmt.Sprintf(`"method":"Page.enable","sessionId":%q`, onlySession(client)))
		return func() { c.host.HostGone(true) }
	},
}
