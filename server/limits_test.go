package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge/page"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// TestLimitsArePassedOn gives each option of a limit a number of its own.
func TestLimitsArePassedOn(t *testing.T) {
	l := Limits{
		PingEvery: 1, PongWithin: 2, MessageTimeout: 3, WriteTimeout: 4,
		MaxClientMessage: 11, MaxClientQueue: 12, MaxClientQueued: 13, MaxHostMessage: 21, MaxHostQueue: 22, MaxHostQueued: 23,
		MaxClients: 31, MaxSessions: 32, MaxClientSessions: 33, MaxClientCalls: 34, MaxCalls: 35,
	}
	both := wsconn.Limits{PingEvery: 1, PongWithin: 2, MessageTimeout: 3, WriteTimeout: 4}
	client, host := both, both
	client.Patient = true
	client.MaxMessage, client.MaxPending, client.MaxQueued = 11, 12, 13
	host.MaxMessage, host.MaxPending, host.MaxQueued = 21, 22, 23
	if got := l.client(); got != client {
		t.Errorf("a Client's limits are %+v, want %+v", got, client)
	}
	if got := l.host(); got != host {
		t.Errorf("a Host's limits are %+v, want %+v", got, host)
	}
	if got, want := l.hub(), (relay.Limits{Clients: 31, Sessions: 32, ClientSessions: 33, ClientCalls: 34, Calls: 35}); got != want {
		t.Errorf("a hub's limits are %+v, want %+v", got, want)
	}
}

// TestLimitDefaults wants the zero value to be what the options document.
func TestLimitDefaults(t *testing.T) {
	l := Limits{}
	if got := l.client(); got.MaxMessage != 100<<20 {
		t.Errorf("a Client's limits are %+v", got)
	}
	if got := l.host(); got.MaxMessage != 256<<20 || got.MaxPending != 64<<20 || got.MaxQueued != page.Limits().MaxQueued {
		t.Errorf("a Host's limits are %+v", got)
	}
	if got := l.action(actions.MaxRequest); got.MaxMessage != actions.MaxRequest {
		t.Errorf("an action API's limits are %+v", got)
	}
}

func TestR93BudgetDefault(t *testing.T) {
	before := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(before)
	if got := usableMemory(); got != 64<<20 {
		t.Errorf("with GOMEMLIMIT at 64 MiB %d bytes are usable", got)
	}
	debug.SetMemoryLimit(1<<63 - 1)
	if got := usableMemory(); got < 1<<24 || got > 1<<50 {
		t.Errorf("without GOMEMLIMIT %d bytes are usable, want those of the cgroup or the machine", got)
	}
}

// upgraded does a handshake by hand, with further header lines.
func upgraded(t *testing.T, url, lines string) (net.Conn, *bufio.Reader, *http.Response) {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "ws://"), "/")
	nc, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(within))
	fmt.Fprintf(nc, "GET /%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", path, host, lines)
	br := bufio.NewReader(nc)
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return nc, br, resp
}

// paths are where WebSockets go.
func (s started) paths() map[string]string {
	return map[string]string{"client": "ws://" + s.addr(false) + "/devtools/browser", "host": "ws://" + s.addr(true) + "/icdp/host"}
}

// TestR41HubPaths sends bad frames to both paths of a hub that works. The
// other Clients and the Host do not notice; all the cases are in
// wsconn.
func TestR41HubPaths(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	host, client := s.host(t), s.client(t)
	id := client.attach()
	for _, tt := range []struct {
		name, in string
		want     string // the close frame
	}{
		{"unmasked", "\x81\x01a", "\x03\xea"},
		{"RSV1", "\xc1\x80\x00\x00\x00\x00", "\x03\xea"},
		{"invalid UTF-8", "\x81\x81\x00\x00\x00\x00\xff", "\x03\xef"},
		{"binary", "\x82\x80\x00\x00\x00\x00", "\x03\xeb"},
		{"2^62 bytes announced", "\x81\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x03\xf1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for side, url := range s.paths() {
				nc, br, _ := upgraded(t, url, "")
				io.WriteString(nc, tt.in)
				answer, err := io.ReadAll(br)
				if err != nil || len(answer) < 4 || answer[0] != 0x88 || string(answer[2:4]) != tt.want {
					t.Errorf("%s: got %q, %v; want a close frame with %q", side, answer, err, tt.want)
				}
			}
		})
	}
	client.send(`{"id":1,"method":"Page.enable","sessionId":"` + id + `"}`)
	host.until(`"Page.enable"`)
}

// TestLimitsHold wants each path to have the limits of its own flags.
func TestLimitsHold(t *testing.T) {
	s := start(t, func(f *Options) { f.Limits.MaxClientMessage, f.Limits.MaxHostMessage = 1000, 2000 })
	for side, want := range map[string]int{"client": 1000, "host": 2000} {
		nc, br, _ := upgraded(t, s.paths()[side], "")
		nc.Write(append([]byte{0x81, 0xfe, byte((want + 1) >> 8), byte(want + 1)}, 0, 0, 0, 0))
		if answer, err := io.ReadAll(br); err != nil || !bytes.HasPrefix(answer[min(2, len(answer)):], []byte("\x03\xf1")) {
			t.Errorf("%s: %d bytes announced were answered with %q, %v; want close 1009", side, want+1, answer, err)
		}
	}
}

func TestR47CompressionFlag(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := start(t, func(f *Options) { f.Limits.Compression = on })
		for side, url := range s.paths() {
			_, _, resp := upgraded(t, url, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
			if got := resp.Header.Get("Sec-WebSocket-Extensions"); (got != "") != on {
				t.Errorf("%s, with compression %v: the offer was answered with %q", side, on, got)
			}
		}
	}
}
