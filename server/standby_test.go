package server

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	mustWait = `{"kind":"standby","free":false}`
	mayCome  = `{"kind":"standby","free":true}`
)

func (s started) standby(t *testing.T) *far {
	t.Helper()
	return dial(t, "ws://"+s.addr(true)+"/icdp/host?standby", nil)
}

// TestStandby has a Host wait for the hub of another, have it when that one leaves,
// and lose it to one that does not wait.
func TestStandby(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := s.host(t)
	h := s.standby(t)
	h.wants(mustWait)
	s.await(t, `"targetId":"T1"`)
	first.Conn.Close(wsconn.ReasonShutdown) // as browsers do for a page that goes
	h.wants(mayCome)
	h.send(strings.NewReplacer(`"v":1`, `"v":1,"features":["standby","codes"]`, "T1", "T2").Replace(ready))
	h.wants(`{"kind":"accepted","features":["codes","standby"]}`)
	s.await(t, `"targetId":"T2"`)
	s.hostSocket(t).send(strings.Replace(ready, "T1", "T3", 1))
	s.await(t, `"targetId":"T3"`)
	if r := h.reason(); r.Code != 4500 {
		t.Errorf("it was closed with %v, want 4500", r)
	}
}

// A Host on standby that does not wait gets nothing.
func TestImpatientStandby(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	h := s.standby(t)
	h.wants(mustWait)
	h.send(strings.Replace(ready, "T1", "T2", 1))
	if r := h.reason(); r.Text != "Host replaced by a newer connection" {
		t.Errorf("it was closed with %v", r)
	}
	s.await(t, `"targetId":"T1"`)
}

// A hub without a Host takes one on standby at once, and needs its token.
func TestStandbyAtFreeHub(t *testing.T) {
	s := start(t, func(o *Options) { o.Tokens.Host, o.Tokens.Client = hostToken, clientToken })
	if status, _ := s.get(t, s.addr(true), "/icdp/host?standby", nil); status != 401 {
		t.Errorf("without a token: %d, want 401", status)
	}
	h := dial(t, "ws://"+s.addr(true)+"/icdp/host?standby&token="+hostToken, nil)
	h.wants(mayCome)
	h.send(ready)
	await(t, "it has the hub", func() bool {
		_, body := s.get(t, s.addr(false), "/icdp/status", bearer(clientToken))
		return strings.Contains(body, `"targetId":"T1"`)
	})
}
