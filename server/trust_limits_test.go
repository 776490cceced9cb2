package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR68SilentConnections opens connections that send nothing.
func TestR68SilentConnections(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	conns := make([]net.Conn, hubtest.Amount(500, 5000))
	begun := time.Now()
	for i := range conns {
		nc, err := net.Dial("tcp", s.addr(i%2 == 0))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		conns[i] = nc
	}
	for i, nc := range conns {
		nc.SetReadDeadline(time.Now().Add(within))
		if got, err := io.ReadAll(nc); err != nil || len(got) > 0 {
			t.Fatalf("connection %d was not closed: %q, %v", i, got, err)
		}
	}
	if took := time.Since(begun); took < 4*time.Second {
		t.Errorf("they were closed after %v, want 5 s", took)
	}
}

// join opens WebSockets to a path and returns how each was answered, and the
// body of the last refusal. They stay open until the test ends.
func (s started) join(t *testing.T, path string, n int) (answers map[int]int, refusal string) {
	t.Helper()
	var mu sync.Mutex
	answers = map[int]int{}
	one := func() error {
		nc, err := net.Dial("tcp", s.addr(false))
		if err != nil {
			return err
		}
		t.Cleanup(func() { nc.Close() })
		nc.SetDeadline(time.Now().Add(within))
		io.WriteString(nc, handshake(path))
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		answers[resp.StatusCode]++
		if resp.StatusCode != http.StatusSwitchingProtocols {
			body, err := io.ReadAll(resp.Body)
			refusal = string(body)
			return err
		}
		return nil
	}
	const workers = 20
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				if err := one(); err != nil {
					t.Errorf("Client %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return answers, refusal
}

// TestR68R93ManyClients fills one hub.
func TestR68R93ManyClients(t *testing.T) {
	s := start(t, nil)
	answers, refusal := s.join(t, "/hub/a/devtools/browser", 1100)
	if answers[101] != 1024 || answers[503] != 76 || strings.TrimSpace(refusal) != "Too many clients" {
		t.Errorf("R-68: of 1,100 Clients %v were answered, and with %q; want 1,024 times 101, and 76 times 503 Too many clients", answers, refusal)
	}
	if answers, _ := s.join(t, "/hub/b/devtools/browser", 10); answers[101] != 10 {
		t.Errorf("R-93: Clients of another hub were answered with %v, want 101", answers)
	}
	// A handshake that goes wrong after all takes no place.
	for range 3 {
		raw(t, s.addr(false), handshake("/hub/b/devtools/browser", "Sec-WebSocket-Key: twice"))
	}
	await(t, "10 Clients are counted", func() bool {
		_, body := s.get(t, s.addr(false), "/hub/b/icdp/status", nil)
		return strings.Contains(body, `"clients":10`)
	})
}

func TestR68ManySessions(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	begun, refused := 0, ""
	done := make(chan struct{})
	c := dialTo(t, "ws://"+s.addr(false)+"/devtools/browser", nil, func(m []byte) {
		text := string(m)
		switch {
		case strings.HasPrefix(text, `{"method":"Target.attachedToTarget"`):
		case strings.Contains(text, `"result":{"sessionId":`):
			begun++
		default:
			refused = text
			close(done)
		}
	})
	c.push(8193, func(i int) string {
		return fmt.Sprintf(`{"id":%d,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`, i)
	})
	select {
	case <-done:
	case <-time.After(within):
		t.Fatal("none was refused")
	}
	if want := `{"id":8192,"error":{"code":-32000,"message":"Too many sessions"}}`; begun != 8192 || refused != want {
		t.Errorf("%d sessions, then %s; want 8,192, then %s", begun, refused, want)
	}
}
