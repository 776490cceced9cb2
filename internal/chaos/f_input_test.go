package chaos

import (
	"fmt"
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
