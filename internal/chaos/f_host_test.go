package chaos

import (
	"net/http"
	"testing"
	"time"
)

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
