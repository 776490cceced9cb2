package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestHubsShowWhoLeft ends connections of both sides and looks at what the
// operator sees of it.
func TestHubsShowWhoLeft(t *testing.T) {
	s, admin := startAdmin(t, nil)
	var got struct{ Closes []uiwire.Close }
	var body string
	noted := func(n int) { // an end is noted once its goroutine has ended
		t.Helper()
		await(t, fmt.Sprint(n, " ends are noted"), func() bool {
			_, body = s.get(t, admin, "/hubs", nil)
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatal(err)
			}
			return len(got.Closes) >= n
		})
	}
	c := dial(t, "ws://"+s.addr(false)+"/hub/a/devtools/browser?secret=in-the-url", nil)
	c.Conn.Close(wsconn.Reason{Code: 3001, Text: "bye"})
	c.reason()
	noted(1)
	first := dial(t, "ws://"+s.addr(true)+"/icdp/host", http.Header{"Origin": {"http://localhost:3000"}})
	first.send(`{"kind":"ready","v":1,"targets":[],"features":["codes"]}`)
	first.until("accepted") // which a Host hears before the hub has it
	await(t, "the first Host is there", func() bool {
		_, status := s.get(t, s.addr(false), "/icdp/status", nil)
		return strings.Contains(status, `"hostConnected":true`)
	})
	second := s.hostSocket(t)
	second.send(`{"kind":"ready","v":1,"targets":[]}`)
	if r := first.reason(); r != wsconn.ReasonReplaced {
		t.Errorf("the first Host was closed with %v, want %v", r, wsconn.ReasonReplaced)
	}
	noted(2)
	if len(got.Closes) != 2 || strings.Contains(body, "secret") {
		t.Fatalf("the operator sees %s", body)
	}
	host, client := got.Closes[0], got.Closes[1]
	if client.Side != "client" || client.Hub != "a" || client.Code != 3001 || client.Reason != "bye" {
		t.Errorf("the Client left as %+v", client)
	}
	if host.Side != "host" || host.Hub != "" || host.Code != 4500 || host.Reason != wsconn.ReasonReplaced.Text {
		t.Errorf("the Host left as %+v", host)
	}
	for _, c := range got.Closes {
		if !strings.HasPrefix(c.Peer, "127.0.0.1:") || time.Since(c.Time) > time.Minute || time.Since(c.Time) < 0 {
			t.Errorf("%s at %v", c.Peer, c.Time)
		}
	}
}
