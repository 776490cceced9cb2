package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// session is the id in a Target.attachedToTarget event or in the answer to
// Target.attachToTarget.
func sessionIn(t *testing.T, message string) string {
	t.Helper()
	var m struct {
		Params, Result struct{ SessionID string }
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return m.Params.SessionID + m.Result.SessionID
}

func (p *far) attach() string {
	p.t.Helper()
	p.send(`{"id":1000,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	return sessionIn(p.t, p.until(`"id":1000`))
}

// TestR70HugeCommandStallsNobody has one Client work while the huge command of another
// has arrived in part, and while it passes: 64 MiB with CDPHUB_LONG, else 16. The network
// stands still meanwhile, so that no clock decides.
func TestR70HugeCommandStallsNobody(t *testing.T) {
	size := hubtest.Amount(16<<20, 64<<20)
	s := start(t, func(f *Options) { f.Limits.MessageTimeout = 10 * within }) // a busy machine takes long
	network := hubtest.NewNetwork(t, s.addr(false))
	host, huge, small := s.host(t), dial(t, "ws://"+network.Addr+"/devtools/browser", nil), s.client(t)
	hugeID, smallID := huge.attach(), small.attach()
	arrived := make(chan struct{})
	go func() {
		for m := range host.Got {
			if len(m) > 1<<20 {
				close(arrived)
				continue
			}
			var c struct {
				SessionID string
				ID        int
			}
			if json.Unmarshal([]byte(m), &c) == nil {
				host.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":{}}`, c.SessionID, c.ID))
			}
		}
	}()
	trips := 0
	roundTrip := func() {
		trips++
		small.send(fmt.Sprintf(`{"id":%d,"method":"Page.enable","sessionId":%q}`, trips, smallID))
		small.until(fmt.Sprintf(`{"id":%d,`, trips))
	}
	part := network.Passed() + 256<<10
	network.Slow(1 << 20) // so that the network can be stopped amid the command
	huge.send(`{"id":1,"method":"Runtime.evaluate","params":{"expression":"` + strings.Repeat("x", size) + `"},"sessionId":"` + hugeID + `"}`)
	await(t, "a part of the command arrives", func() bool { return network.Passed() > part })
	goOn := network.Silence()
	defer goOn()
	for range 20 {
		roundTrip()
	}
	network.Slow(0)
	goOn()
	for {
		roundTrip()
		select {
		case <-arrived:
			return
		case why := <-huge.Closed:
			t.Fatalf("the Client with the huge command was closed: %v", why)
		case m := <-huge.Got: // only the hub can have answered
			t.Fatalf("the huge command was refused: %s", m)
		default:
		}
	}
}

// TestF01SilentHostEndsWithItsSocket leaves commands without an answer and takes
// the Host away without a word.
func TestF01SilentHostEndsWithItsSocket(t *testing.T) {
	s := start(t, nil)
	host, client := s.host(t), s.client(t)
	id := client.attach()
	const n = 1000
	for i := range n {
		client.send(fmt.Sprintf(`{"id":%d,"method":"Page.enable","sessionId":%q}`, i, id))
	}
	for range n {
		host.until("Page.enable")
	}
	host.Conn.Close(wsconn.ReasonGone)
	for i := range n {
		want := fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"Host disconnected"},"sessionId":%q}`, i, id)
		if got := client.next(); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	client.until("Target.detachedFromTarget")
}

// TestActions opens and closes a page over plain HTTP.
func TestActions(t *testing.T) {
	s := start(t, nil)
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(`{"kind":"ready","v":1,"targets":[],"handles":["Target.createTarget","Target.closeTarget"]}`)
	s.await(t, `"hostConnected":true`)
	ask := func(method, path string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.addr(false)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := ask(http.MethodGet, "/json/new?http://app/new"); status != 405 || !strings.HasPrefix(body, "Using unsafe HTTP verb GET") {
		t.Errorf("GET /json/new: %d %s", status, body)
	}
	go func() {
		select {
		case m := <-host.Got:
			if m != `{"kind":"browserRequest","id":1,"method":"Target.createTarget","params":{"url":"http://app/new"}}` {
				t.Errorf("the Host got %s", m)
			}
		case <-time.After(within):
			t.Error("the Host was not asked")
		}
		host.send(`{"kind":"targetCreated","target":{"targetId":"N","title":"New","url":"http://app/new"}}`)
		host.send(`{"kind":"browserResult","id":1,"result":{"targetId":"N"}}`)
	}()
	if status, body := ask(http.MethodPut, "/json/new?http://app/new"); status != 200 || !strings.Contains(body, `"id":"N"`) {
		t.Errorf("PUT /json/new: %d %s", status, body)
	}
	go func() {
		host.until("Target.createTarget")
		host.send(`{"kind":"browserResult","id":2,"error":{"code":-32000,"message":"this page opens no others"}}`)
	}()
	if status, body := ask(http.MethodPut, "/json/new"); status != 500 || body != "Could not create new page: this page opens no others" {
		t.Errorf("PUT /json/new that fails: %d %s", status, body)
	}
	if status, body := ask(http.MethodGet, "/json/activate/N"); status != 200 || body != "Target activated" {
		t.Errorf("activate: %d %s", status, body)
	}
	if status, body := ask(http.MethodGet, "/json/close/nothing"); status != 404 || body != "No such target id: nothing" {
		t.Errorf("close nothing: %d %s", status, body)
	}
}
