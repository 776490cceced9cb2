package chaos

import "testing"

// F-10: a Host sends what is not JSON, or not what it should be.
func TestF10MalformedMessagesOfAHost(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 1)
	c := startClient(t, b, p.place, "a", "c")
	id := c.mustAttach(t, h.target(0))
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
}
