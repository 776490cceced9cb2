package chaos

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
)

// F-10: what is not JSON, or not what it should be, from either side.
func TestF10MalformedMessages(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 1)
	c := startClient(t, b, p.place, "a", "c")
	id := c.mustAttach(t, h.target(0))
	t.Run("of a Client", func(t *testing.T) {
		for _, m := range []string{
			"", "null", "5", `"x"`, "[]", "{", "nonsense", "\ufeff{}", "{}", `{"method":"A.b"}`, `{"id":1.5,"method":"A.b"}`,
			`{"id":"1","method":"A.b"}`, `{"id":2147483648,"method":"A.b"}`, strings.Repeat("[", 10_000),
		} {
			c.malformed(m)
			c.echoes(id, 1)
			c.quiet(t)
		}
	})
	t.Run("of a Host", func(t *testing.T) {
		for _, m := range []string{
			"", "null", "5", "[]", "{", "nonsense", "{}", `{"kind":5}`, `{"kind":"response"}`, `{"kind":"response","id":"x"}`,
			`{"kind":"event"}`, `{"kind":"event","targetId":"nobody's","method":"A.b"}`, `{"kind":"targetCreated"}`,
			`{"kind":"targetCreated","target":{"targetId":""}}`, `{"kind":"targetDestroyed"}`, `{"kind":"ready","targets":7}`,
		} {
			h.say("%s", m)
			c.echoes(id, 1)
			h.event(0, 1)
			c.quiet(t)
		}
		c.sawAll(t, h)
	})
	t.Run("answers", func(t *testing.T) {
		h.holdAnswers(true)
		for _, result := range []string{"5", `{"a":tru}`, strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)} {
			c.echoes(id, 1)
			n := 0
			eventually(t, "that the Host has the command", func() bool {
				h.mu.Lock()
				defer h.mu.Unlock()
				n = h.last
				return len(h.held) == 1
			})
			for range 2 { // the second is one too many
				h.say(`{"kind":"response","sessionId":%q,"id":%d,"result":%s}`, id, n, result)
			}
			c.quiet(t)
			h.holdAnswers(false) // likewise
			h.holdAnswers(true)
		}
		if n := b.causedBy("Invalid answer from the Host"); n != 3 {
			t.Errorf("%d answers were invalid, want 3: %v", n, b.causes)
		}
	})
}

// F-11: ids that are the same.
func TestF11SameIDs(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 3)
	h.holdAnswers(true)
	t.Run("of one Client", func(t *testing.T) {
		c := startClient(t, b, p.place, "a", "c")
		id := c.mustAttach(t, h.target(0))
		c.mu.Lock()
		for range 3 {
			for _, n := range []int{0, 7, 1<<31 - 1} {
				c.echoLocked(n, id, "")
			}
		}
		c.mu.Unlock()
		c.s.flush()
		eventually(t, "that the Host has them", func() bool { return h.commands() == 9 })
		h.holdAnswers(false)
		c.quiet(t)
	})
	t.Run("of many Clients", func(t *testing.T) {
		h.holdAnswers(true)
		var all []*client
		for i := range 100 {
			c := startClient(t, b, p.place, "a", fmt.Sprintf("c%d", i))
			id := c.mustAttach(t, h.target(i%3))
			c.mu.Lock()
			c.echoLocked(1, id, "")
			c.mu.Unlock()
			c.s.flush()
			all = append(all, c)
		}
		eventually(t, "that the Host has them", func() bool { return h.commands() == 109 })
		h.holdAnswers(false)
		for _, c := range all {
			c.quiet(t)
		}
	})
}

// F-12: a Client uses the session of another, before and after its end.
func TestF12ForeignSessions(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 2)
	c, d := startClient(t, b, p.place, "a", "c"), startClient(t, b, p.place, "a", "d")
	elsewhere := startClient(t, b, p.place, "b", "elsewhere")
	one, two := c.mustAttach(t, h.target(0)), c.mustAttach(t, h.target(1))
	strangers := func() {
		t.Helper()
		for _, who := range []*client{d, elsewhere} {
			who.echoes(one, 5)
			m, err := who.call("Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, one))
			if err != nil || !strings.Contains(m, `"No session with given id"`) {
				t.Errorf("to detach another's session: %s %v", m, err)
			}
			who.quiet(t)
		}
	}
	strangers()
	c.echoes(one, 5)
	c.echoes(two, 5)
	c.quiet(t)
	h.destroy(0)
	eventually(t, "that the session ends", func() bool { return !c.has(one) })
	strangers()
	c.leave()
	strangers()
	if n := h.commands(); n != 10 {
		t.Errorf("the Host got %d commands, want 10", n)
	}
	if n := b.causedBy("Session with given id not found."); n != 30 {
		t.Errorf("%d commands of strangers were refused, want 30: %v", n, b.causes)
	}
}

// F-13: somebody tries tokens.
func TestF13GuessedTokens(t *testing.T) {
	const right, hosts = "the-right-token-of-clients", "the-right-token-of-hosts!"
	p := startHub(t, "--log-level=debug", "--client-token="+right, "--host-token="+hosts)
	try := func(from, token string) int {
		t.Helper()
		d := net.Dialer{Timeout: dialWithin, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		s, err := dialFrom(d, p.clients, "/hub/a/devtools/browser", "Authorization: Bearer "+token)
		if err == nil {
			s.tcp.Close()
			return 101
		}
		var status refused
		if !errors.As(err, &status) {
			t.Fatal(err)
		}
		return int(status)
	}
	got := make(map[int]int)
	for i := range 30 {
		got[try("127.0.0.1", fmt.Sprintf("a-wrong-token-number-%d", i))]++
	}
	if got[401] != 10 || got[429] != 20 {
		t.Errorf("30 wrong tokens were answered %v, want 401 ten times and 429 twenty times", got)
	}
	if status := try("127.0.0.1", right); status != 101 { // who guesses does not lock out who knows
		t.Errorf("the right token from there: %d, want 101", status)
	}
	if status := try("127.0.0.2", right); status != 101 {
		t.Errorf("the right token from elsewhere: %d, want 101", status)
	}
	p.kill()
	for _, secret := range []string{right, hosts, "a-wrong-token-number"} {
		if strings.Contains(p.said(), secret) {
			t.Errorf("the log has the token %q", secret)
		}
	}
}
