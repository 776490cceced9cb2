package chaos

import (
	"net/http"
	"testing"
	"time"

	"github.com/cdphub/cdphub/server"
)

// F-02: the Host comes back before the hub has noticed that it was gone.
func TestF02HostComesBackBeforeItIsMissed(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 3)
	c, d := startClient(t, b, p.place, "a", "c"), startClient(t, b, p.place, "a", "d")
	var ids []string
	for i := range 3 {
		ids = append(ids, c.mustAttach(t, h.target(i)), d.mustAttach(t, h.target(i)))
		h.event(i, 100)
	}
	c.sawAll(t, h)
	h.holdAnswers(true)
	c.echoes(ids[0], 10)
	eventually(t, "that the Host has the commands", func() bool { return h.commands() == 10 })
	again, err := h.back(p.place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.leave)
	c.quiet(t)
	if n := b.causedBy("Host disconnected"); n != 10 {
		t.Errorf("%d commands were lost with the old connection, want 10: %v", n, b.causes)
	}
	<-h.gone
	if !h.endedWith(1008) {
		t.Errorf("the old connection ended with %v, want 1008", h.ended())
	}
	for i := range 3 {
		again.event(i, 100)
		c.echoes(ids[2*i], 10)
		d.echoes(ids[2*i+1], 10)
	}
	c.quiet(t)
	d.quiet(t)
	c.sawAll(t, again)
	d.sawAll(t, again)
	for i, id := range ids {
		if who := [2]*client{c, d}[i%2]; !who.has(id) {
			t.Errorf("session %s did not go on", id)
		}
	}
}

// F-03: the Host comes back too late, or another comes in its place.
func TestF03HostComesBackTooLate(t *testing.T) {
	b := newBooks(t)
	in := startInside(t, server.Limits{HostGrace: 50 * time.Millisecond})
	h := startHost(t, b, in.place, "a", "H", 2)
	c := startClient(t, b, in.place, "a", "c")
	discover(t, c)
	one := c.mustAttach(t, h.target(0))
	h.crash()
	eventually(t, "that the session ends", func() bool { return !c.has(one) })
	again, err := h.back(in.place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.leave)
	replaced(t, c, again)
}

func TestF03AnotherHostComes(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 2)
	c := startClient(t, b, p.place, "a", "c")
	discover(t, c)
	one := c.mustAttach(t, h.target(0))
	h.crash()
	other := startHost(t, b, p.place, "a", "other", 2)
	eventually(t, "that the session ends", func() bool { return !c.has(one) })
	replaced(t, c, other)
}

func discover(t *testing.T, c *client) {
	t.Helper()
	if _, err := c.call("Target.setDiscoverTargets", `{"discover":true}`); err != nil {
		t.Fatal(err)
	}
}

// replaced wants two Targets to have gone and two to have come, of which the
// Client has no session.
func replaced(t *testing.T, c *client, h *host) {
	t.Helper()
	eventually(t, "that two Targets have gone", func() bool { return c.heard("Target.targetDestroyed") == 2 })
	eventually(t, "that there are two more", func() bool { return c.heard("Target.targetCreated") == 4 })
	id := c.mustAttach(t, h.target(1))
	c.echoes(id, 10)
	h.event(1, 10)
	c.quiet(t)
	c.sawAll(t, h)
	if c.heard("Target.targetDestroyed") != 2 || len(c.past) != 1 {
		t.Errorf("%d Targets and %d sessions have ended, want 2 and 1", c.heard("Target.targetDestroyed"), len(c.past))
	}
}

// F-04: a Host of version 1 loses its connection: all that it had ends at
// once, and what comes is new, even under the same id.
func TestF04Version1HostBlips(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "", 2)
	h.holdAnswers(true)
	c := startClient(t, b, p.place, "a", "c")
	discover(t, c)
	one := c.mustAttach(t, h.target(0))
	c.echoes(one, 10)
	eventually(t, "that the Host has the commands", func() bool { return h.commands() == 10 })
	h.crash()
	eventually(t, "that the session ends", func() bool { return !c.has(one) })
	if n := b.causedBy("Host disconnected"); n != 10 {
		t.Errorf("%d commands failed with the Host, want 10: %v", n, b.causes)
	}
	c.echoes(one, 1)
	c.quiet(t)
	if n := b.causedBy("Session with given id not found."); n != 1 {
		t.Errorf("a session of the lost Host: %v", b.causes)
	}
	again, err := h.back(p.place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.leave)
	replaced(t, c, again)
}

// F-05: the hub is killed and started again at the same addresses.
func TestF05HubRestarts(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 2)
	c := startClient(t, b, p.place, "a", "c")
	old := c.mustAttach(t, h.target(0))
	h.holdAnswers(true)
	c.echoes(old, 100)
	p.kill()
	<-c.gone
	<-h.gone
	begin := time.Now()
	p.run()
	t.Logf("listens after %v", time.Since(begin))
	again, err := h.back(p.place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.leave)
	d := startClient(t, b, p.place, "a", "d")
	id := d.mustAttach(t, again.target(0))
	d.echoes(old, 3)
	d.echoes(id, 100)
	again.event(0, 100)
	d.quiet(t)
	d.sawAll(t, again)
	if n := b.causedBy("Session with given id not found."); n != 3 {
		t.Errorf("a session from before the restart: %v", b.causes)
	}
	if status := get(t, "http://"+p.clients+"/hub/a/json/list"); status != http.StatusOK {
		t.Errorf("/json/list has status %d", status)
	}
}

func get(t *testing.T, url string) int {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
