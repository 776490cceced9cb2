package relay

import (
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/bridge"
)

// closing is a Peer that closes its connection when it may: what comes after that is
// lost.
type closing struct {
	inbox
}

func (p *closing) Drained() { p.got = append(p.got, "closed") }

// waitsForBrowser is a hub whose browser is being started, and a Client with a command
// that waits for it.
func waitsForBrowser(t *testing.T) (h *Hub, c *Client, p *closing) {
	h, p = newHub(t, Options{}), &closing{}
	t.Cleanup(h.Control().ExpectBrowser())
	c, err := h.Join(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Receive([]byte(`{"id":1,"method":"Storage.getCookies"}`))
	if got := p.take(); len(got) != 0 {
		t.Fatalf("the command did not wait: %q", got)
	}
	return h, c, p
}

// orderedHost is a browser that notes what comes.
type orderedHost struct {
	mute
	got []string
}

func (o *orderedHost) Slot() string                        { return bridge.BrowserSlot }
func (o *orderedHost) AttachedToBrowser(bridge.Attachment) {}

func (o *orderedHost) Send(c bridge.Command) error {
	o.got = append(o.got, c.Method)
	return nil
}

func TestWhatWaitsForABrowserKeepsItsOrder(t *testing.T) {
	h, c, _ := waitsForBrowser(t)
	host := &orderedHost{}
	setHost(h, host, nil)
	c.Receive([]byte(`{"id":2,"method":"Storage.clearCookies"}`))
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := fmt.Sprint(host.got); got != "[Storage.getCookies Storage.clearCookies]" {
		t.Errorf("the browser got %s", got)
	}
}
