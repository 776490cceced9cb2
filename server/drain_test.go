package server

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestF15R100DrainUnderLoad ends the server with one Client idle, one whose
// command is answered meanwhile, and one whose command never is.
func TestF15R100DrainUnderLoad(t *testing.T) {
	t.Parallel()
	s := start(t, func(f *Options) { f.Drain = 15 * time.Second }) // a busy machine takes some for what comes before
	host, idle, lucky, unlucky := s.host(t), s.client(t), s.client(t), s.client(t)
	luckyID, unluckyID := lucky.attach(), unlucky.attach()
	lucky.send(`{"id":1,"method":"A.answered","sessionId":"` + luckyID + `"}`)
	command := host.until(`"A.answered"`)
	unlucky.send(`{"id":1,"method":"A.never","sessionId":"` + unluckyID + `"}`)
	host.until(`"A.never"`)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.stop()
	}()
	if r := idle.reason(); r != wsconn.ReasonShutdown {
		t.Errorf("the idle Client was closed with %v, want 1001", r)
	}
	select {
	case <-unlucky.Closed:
		t.Fatal("the idle Client was not closed at once, but with the Client that waits")
	default:
	}
	resp, err := http.Get("http://" + s.addr(false) + "/json/version") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "shutting down") {
		t.Errorf("/json/version while draining: %s %s, want 503", resp.Status, body)
	}
	if _, err := wsconn.Dial(t.Context(), "ws://"+s.addr(false)+"/devtools/browser", nil, wsconn.Limits{}); err == nil {
		t.Error("a Client may connect while the hub drains")
	}
	lucky.send(`{"id":2,"method":"A.late","sessionId":"` + luckyID + `"}`)
	lucky.until(`{"id":2,"error":{"code":-32000,"message":"Hub is shutting down: `)
	_, id, _ := strings.Cut(command, `"id":`)
	id, _, _ = strings.Cut(id, ",")
	host.send(`{"kind":"response","sessionId":"` + luckyID + `","id":` + id + `,"result":{"done":true}}`)
	lucky.until(`{"id":1,"result":{"done":true}`)
	if r := lucky.reason(); r != wsconn.ReasonShutdown {
		t.Errorf("the Client that was answered was closed with %v, want 1001", r)
	}
	select {
	case r := <-unlucky.Closed:
		t.Errorf("the Client that waits was closed with %v before its time", r)
	case r := <-host.Closed:
		t.Errorf("the Host was closed with %v before the Clients", r)
	default:
	}
	if r := unlucky.reason(); r != wsconn.ReasonShutdown {
		t.Errorf("the Client that waited was closed with %v, want 1001", r)
	}
	if r := host.reason(); r != wsconn.ReasonShutdown {
		t.Errorf("the Host was closed with %v, want 1001", r)
	}
	<-ended
	books := s.hubs.Stats()
	if books.Received != books.AnsweredByHost+books.AnsweredByHub+books.ClientGone || books.Pending != 0 || books.ClientGone != 1 {
		t.Errorf("the ledger at the end: %+v, want it closed with one command whose Client is gone", books)
	}
}
