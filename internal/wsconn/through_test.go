package wsconn

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// echoes serves WebSockets that send each message back, and answers with a header.
func echoes(w http.ResponseWriter, r *http.Request) {
	c, err := Upgrade(w, r, Options{Subprotocol: r.Header.Get("Sec-WebSocket-Protocol"), Header: http.Header{"X-Word": {"yes"}}})
	if err != nil {
		return
	}
	c.Deliver(wire.Frame{Body: []byte("first")}) // right behind the answer
	c.Serve(r.Context(), func(m []byte) { c.Deliver(wire.Frame{Body: m}) })
}

// TestDialThrough speaks with servers over plain HTTP and TLS, directly and through
// a proxy.
func TestDialThrough(t *testing.T) {
	plain, secure := httptest.NewServer(http.HandlerFunc(echoes)), httptest.NewTLSServer(http.HandlerFunc(echoes))
	defer plain.Close()
	defer secure.Close()
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		tunnel(w, r)
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"http": plain.URL, "https": secure.URL} {
		for _, through := range []bool{false, true} {
			by := &http.Transport{TLSClientConfig: secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()}
			if through {
				by.Proxy = http.ProxyURL(at)
			}
			if name == "http" && through {
				continue // net/http asks a proxy for plain HTTP without CONNECT, which is the proxy's to forward
			}
			before := asked.Load()
			c, answer, err := DialThrough(t.Context(), by, "ws"+strings.TrimPrefix(address, "http"), http.Header{"Sec-WebSocket-Protocol": {"x"}}, Limits{})
			if err != nil {
				t.Fatalf("%s, proxy %v: %v", name, through, err)
			}
			if (asked.Load() > before) != through {
				t.Errorf("%s: the proxy was asked: %v", name, !through)
			}
			if answer.Get("X-Word") != "yes" || answer.Get("Sec-WebSocket-Protocol") != "x" {
				t.Errorf("%s: the answer has %v", name, answer)
			}
			long := strings.Repeat("é", 1<<20)
			var got []string
			c.Deliver(wire.Frame{Body: []byte(long)})
			why := c.Serve(t.Context(), func(m []byte) {
				if got = append(got, string(m)); len(got) == 2 {
					c.Close(ReasonNormal)
				}
			})
			if len(got) != 2 || got[0] != "first" || got[1] != long || why != ReasonNormal {
				t.Errorf("%s, proxy %v: %d messages, %v", name, through, len(got), why)
			}
		}
	}
}

// tunnel answers CONNECT (RFC 9110, section 9.3.6).
func tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := net.Dial("tcp", r.Host)
	if err != nil || r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		io.Copy(far, near)
		far.Close()
	}()
	io.Copy(near, far)
	near.Close()
}

// TestDialThroughRefused wants to know what a server said.
func TestDialThroughRefused(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			time.Sleep(time.Second)
		case "/wrong":
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "websocket")
			w.WriteHeader(http.StatusSwitchingProtocols)
		default:
			http.Error(w, "not here", http.StatusNotFound)
		}
	}))
	defer s.Close()
	at := "ws" + strings.TrimPrefix(s.URL, "http")
	_, _, err := DialThrough(t.Context(), &http.Transport{}, at+"/x", nil, Limits{})
	if status, is := errors.AsType[StatusError](err); !is || status != 404 || !strings.HasSuffix(err.Error(), "not here") {
		t.Errorf("%v, want the status and the words", err)
	}
	if _, _, err = DialThrough(t.Context(), &http.Transport{}, at+"/wrong", nil, Limits{}); err == nil || !strings.Contains(err.Error(), "Sec-WebSocket-Accept") {
		t.Errorf("an answer of no WebSocket: %v", err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, _, err = DialThrough(ctx, &http.Transport{}, at+"/slow", nil, Limits{}); !errors.Is(err, gone) {
		t.Errorf("%v, want the cause", err)
	}
	if _, _, err = DialThrough(t.Context(), &http.Transport{}, s.URL, nil, Limits{}); err == nil {
		t.Error("http:// was taken for a WebSocket")
	}
}

// TestR93Account ends the holder of an account when its bytes are too many, once.
func TestR93Account(t *testing.T) {
	b := NewBudget(100)
	ends := 0
	a := b.Account(quota.Payer{}, func() { ends++ })
	other := b.Account(quota.Payer{}, func() { t.Error("who holds less was ended") })
	add := func(a *Account, n int) {
		a.Add(n)
		a.Enforce()
	}
	add(other, 30)
	add(a, 70)
	if ends != 0 || b.Used() != 100 {
		t.Errorf("%d ends, %d used", ends, b.Used())
	}
	add(a, 1)
	add(a, 1)
	if a.Close(); ends != 1 || b.Used() != 30 {
		t.Errorf("%d ends, %d used", ends, b.Used())
	}
	other.Close()
	if b.Used() != 0 || len(b.accounts) != 0 {
		t.Errorf("%d used by %d", b.Used(), len(b.accounts))
	}
}

// TestR249MemoryOfOneToken has one token hold much memory in many small parts: its own
// parts are freed, and not the largest one, which is another token's.
func TestR249MemoryOfOneToken(t *testing.T) {
	b := NewBudget(1000)
	ended := map[string]int{}
	var all []*Account
	hold := func(token string, bytes int) {
		var a *Account
		a = b.Account(quota.Payer{ID: token}, func() {
			ended[token]++
			a.Close()
		})
		all = append(all, a)
		a.Add(bytes)
		a.Enforce()
	}
	hold("B", 100)
	for range 40 {
		hold("A", 50)
	}
	if ended["B"] != 0 || ended["A"] != 22 || b.Used() != 1000 {
		t.Errorf("ended are %v, %d bytes are used", ended, b.Used())
	}
	used := map[string]int64{}
	b.Usage(func(p quota.Payer, bytes int64) { used[p.ID] += bytes })
	if used["A"] != 900 || used["B"] != 100 {
		t.Errorf("the usage is %v", used)
	}
}
