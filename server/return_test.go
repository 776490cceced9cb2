package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const namedReady = `{"kind":"ready","v":1,"hostId":"H","features":["sessions","resume"],` +
	`"targets":[{"targetId":"T1","title":"One","url":"http://app/1"}]}`

// F-02: the Host's connection breaks, and it comes back within the grace time.
func TestF02HostComesBack(t *testing.T) {
	s := start(t, nil)
	connect := func() *far {
		h := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
		h.send(namedReady)
		return h
	}
	host := connect()
	client := s.client(t)
	s.await(t, `"targetId":"T1"`)
	id := client.attach()
	client.send(`{"id":1,"method":"Page.enable","sessionId":"` + id + `"}`)
	host.until(`"Page.enable"`)
	host.Conn.Close(wsconn.ReasonGone)
	client.wants(`{"id":1,"error":{"code":-32000,"message":"Host disconnected"},"sessionId":"` + id + `"}`)
	s.await(t, `"hostConnected":false`)
	client.send(`{"id":2,"method":"Page.enable","sessionId":"` + id + `"}`)
	client.wants(`{"id":2,"error":{"code":-32000,"message":"Host is not connected","data":"` + advice.PageAway.String() + `"},"sessionId":"` + id + `"}`)

	host = connect()
	host.until(`{"kind":"attached","sessionId":"` + id + `","targetId":"T1"`)
	host.until(`{"kind":"resumed"}`)
	for i := range 10 {
		host.send(fmt.Sprintf(`{"kind":"event","targetId":"T1","method":"A.b","params":{"n":%d}}`, i))
	}
	for i := range 10 {
		client.wants(fmt.Sprintf(`{"method":"A.b","params":{"n":%d},"sessionId":%q}`, i, id))
	}
	client.send(`{"id":3,"method":"Page.enable","sessionId":"` + id + `"}`)
	if m := host.until(`"Page.enable"`); !strings.Contains(m, id) {
		t.Errorf("the command after the return: %s", m)
	}
}

// two Host pages that both come back at once take turns ever more slowly.
func TestR84TakeoversSlowDown(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	begin := time.Now()
	for n := range 5 {
		h := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
		h.send(strings.ReplaceAll(ready, "T1", fmt.Sprintf("N%d", n)))
		s.await(t, fmt.Sprintf(`"targetId":"N%d"`, n)) // the newest always wins
	}
	// Four takeovers: at once, and after 200, 400 and 800 ms.
	if d := time.Since(begin); d < 1400*time.Millisecond {
		t.Errorf("four takeovers took %v, want at least 1.4 s", d)
	}
}
