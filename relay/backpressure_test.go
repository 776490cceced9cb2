package relay

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/relay/quota"
)

// TestR65FlooderWaits has a Client send faster than its Host answers.
func TestR65FlooderWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		ev := setHost(h, &mute{}, list(1))
		defer ev.HostGone(false)
		c, err := h.Join(&sink{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		command := fmt.Appendf(nil, `{"id":2,"method":"A.b","sessionId":%q}`, onlySession(c))
		send := func(n int) (took time.Duration) {
			begun := time.Now()
			for range n {
				c.Receive(command)
			}
			return time.Since(begun)
		}
		answered := bridge.CallID(0)
		answer := func(n int) {
			for range n {
				answered++
				ev.Result(answered, onlySession(c), []byte(`{}`), nil)
			}
		}
		if took := send(inFlightAlone); took != 0 {
			t.Errorf("%d commands took %v, want no wait", inFlightAlone, took)
		}
		if took := send(1000); took != 4*longestWait {
			t.Errorf("with a silent Host 1,000 more took %v, want %v for each %d", took, longestWait, inFlightAlone)
		}
		answer(1000)
		if took := send(1); took != longestWait { // 257 are in flight
			t.Errorf("with a Host that was silent while it waited one more took %v", took)
		}
		answer(1)
		// Now a Host that takes 30 ms for each.
		stop := make(chan struct{})
		go func() {
			for tick := time.NewTicker(30 * time.Millisecond); ; {
				select {
				case <-tick.C:
					answer(1)
				case <-stop:
					tick.Stop()
					return
				}
			}
		}()
		if took := send(100); took < 98*30*time.Millisecond || h.Stats().Pending > inFlightAlone+1 {
			t.Errorf("with a slow Host 100 more took %v and %d wait; want about 3 s and %d", took, h.Stats().Pending, inFlightAlone)
		}
		close(stop)
		c.Leave()
	})
}

// TestR65FlooderAmongOthers has a Client send faster than its Host answers
// while another sends now and then.
func TestR65FlooderAmongOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		ev := setHost(h, &mute{}, list(1))
		defer ev.HostGone(false)
		flooder, other := newChatter(t, h), newChatter(t, h)
		send := func(n int) (free int) {
			for ; free < n; free++ {
				begun := time.Now()
				flooder.send()
				if time.Since(begun) > 0 {
					break
				}
			}
			return free
		}
		answered := bridge.CallID(0)
		answerAll := func(c *chatter) {
			for c.calls > 0 {
				answered++
				ev.Result(answered, c.session, []byte(`{}`), nil)
			}
		}
		other.send()
		answerAll(other)
		if free := send(1000); free != inFlightShared {
			t.Errorf("beside another it may have %d in flight, want %d", free, inFlightShared)
		}
		answerAll(flooder)
		for range sharedFor {
			flooder.send()
			answerAll(flooder)
		}
		if free := send(1000); free != inFlightAlone {
			t.Errorf("long after the other it may have %d in flight, want %d", free, inFlightAlone)
		}
		flooder.Leave()
		other.Leave()
	})
}

// TestR65ClientsOfOneTokenFloodTogether has a token send commands that are never answered over
// many connections, while another token sends now and then: what the Host gets of them in a
// second does not depend on the number of connections.
func TestR65ClientsOfOneTokenFloodTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		host := &mute{}
		ev := setHost(h, host, list(1))
		defer ev.HostGone(false)
		other := newChatterOf(t, h, "other")
		var leave []func()
		const connections = 16
		for range connections {
			c := newChatterOf(t, h, "flooder")
			leave = append(leave, c.Leave)
			go func() {
				for range 1000 {
					c.send()
				}
			}()
		}
		for range 10 {
			other.send()
			time.Sleep(longestWait)
		}
		synctest.Wait()
		if most := connections*(inFlightShared+1) + 11*inFlightShared + 10; host.commands > most {
			t.Errorf("the Host has %d commands after a second, want %d at most", host.commands, most)
		}
		other.Leave()
		for _, l := range leave {
			l()
		}
		time.Sleep(1000 * longestWait) // the readers find that their Clients have left
	})
}

// TestR65LongCommandsHoldNobodyBack has a Client with many commands that take
// long and go on taking, as Runtime.evaluate with awaitPromise may, send others
// that are answered soon.
func TestR65LongCommandsHoldNobodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		ev := setHost(h, &mute{}, list(1))
		defer ev.HostGone(false)
		c := newChatter(t, h)
		const long = inFlightAlone + 50
		for range long {
			c.send()
		}
		const soon = 5 * time.Millisecond
		begun := time.Now()
		for i := range 100 {
			answered := make(chan struct{})
			time.AfterFunc(soon, func() {
				ev.Result(bridge.CallID(long+1+i), c.session, []byte(`{}`), nil)
				close(answered)
			})
			c.send()
			<-answered
		}
		if took := time.Since(begun); took != 100*soon {
			t.Errorf("100 commands, answered within %v, took %v", soon, took)
		}
		c.Leave()
	})
}

// TestR65BusyPageLosesNothing has a Client ask about 10,000 elements at once, as Playwright
// does, while the page is busy for a second.
func TestR65BusyPageLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		host := &mute{}
		ev := setHost(h, host, list(1))
		defer ev.HostGone(false)
		c := newChatter(t, h)
		const all = 10_000
		go func() {
			time.Sleep(time.Second)
			for answered := 0; h.Stats().Pending > 0; time.Sleep(time.Millisecond) {
				for range h.Stats().Pending {
					answered++
					ev.Result(bridge.CallID(answered), c.session, []byte(`{}`), nil)
				}
			}
		}()
		for range all {
			c.send()
		}
		if host.commands != all {
			t.Errorf("the Host got %d of %d commands", host.commands, all)
		}
		time.Sleep(time.Second) // until all are answered
		c.Leave()
	})
}

// chatter is a Client with a session.
type chatter struct {
	*Client
	session string
	command []byte
}

func newChatter(t *testing.T, h *Hub) *chatter {
	t.Helper()
	return newChatterOf(t, h, "")
}

// newChatterOf is newChatter with the token of a Payer.
func newChatterOf(t *testing.T, h *Hub, payer string) *chatter {
	t.Helper()
	c, err := h.Admit(ClientOptions{Payer: quota.Payer{ID: payer, Name: payer}})
	if err != nil {
		t.Fatal(err)
	}
	c.Connect(&sink{})
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	id := onlySession(c)
	return &chatter{c, id, fmt.Appendf(nil, `{"id":2,"method":"A.b","sessionId":%q}`, id)}
}

// send sends a command, which the Host answers when it is told to.
func (c *chatter) send() { c.Receive(c.command) }

// pacing is a Host that notes with which Pace it is asked for room.
type pacing struct {
	mute
	asked []string
	names map[*bridge.Pace]string
}

func (p *pacing) Attached(bridge.Attachment) {}

func (p *pacing) WaitForRoom(pace *bridge.Pace, n int) {
	if pace != nil && p.names[pace] == "" {
		p.names[pace] = fmt.Sprint("pace ", len(p.names)+1)
	}
	p.asked = append(p.asked, fmt.Sprintf("%s %d", p.names[pace], n))
}

// TestR272WhatCountsForAPace has sessions that begin and large params count, once two Clients are there;
// Clients of one token count together.
func TestR272WhatCountsForAPace(t *testing.T) {
	h := newHub(t, Options{})
	host := &pacing{names: make(map[*bridge.Pace]string)}
	ev := setHost(h, host, list(1))
	defer ev.HostGone(false)
	join := func(payer string) *Client {
		c, err := h.Admit(ClientOptions{Payer: quota.Payer{ID: payer}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	send := func(c *Client, params int) string {
		host.asked = nil
		if params == 0 {
			c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		} else {
			c.Receive(fmt.Appendf(nil, `{"id":2,"method":"A.b","sessionId":%q,"params":{"a":"%s"}}`, onlySession(c), strings.Repeat("a", params-len(`{"a":""}`))))
		}
		return fmt.Sprint(host.asked)
	}
	first := join("token")
	attach := fmt.Sprint(len(`{"targetId":"T0","flatten":true}`))
	same := func() *Client { return first }
	joined := func(payer string) func() *Client { return func() *Client { return join(payer) } }
	for i, step := range []struct {
		by     func() *Client
		params int
		want   string
	}{
		{same, 0, "[ " + attach + "]"},
		{same, 5000, "[ 5000]"},
		{joined("token"), 0, "[pace 1 " + attach + "]"},
		{same, smallParams + 1, fmt.Sprintf("[pace 1 %d]", smallParams+1)},
		{same, smallParams, fmt.Sprintf("[ %d]", smallParams)},
		{joined(""), 0, "[pace 2 " + attach + "]"},
		{joined(""), 0, "[pace 3 " + attach + "]"},
	} {
		if got := send(step.by(), step.params); got != step.want {
			t.Errorf("step %d: the Host was asked %s, want %s", i, got, step.want)
		}
	}
	for c := range h.clients {
		c.Leave()
	}
	if len(h.paces) > 0 {
		t.Errorf("without Clients the hub keeps %v", h.paces)
	}
}
