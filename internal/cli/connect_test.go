package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/link"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestConnectSurvivesCuts sends commands by cdphub connect while its link is cut: each
// is answered once, in their order.
func TestConnectSurvivesCuts(t *testing.T) {
	clients, local := hubtest.FreeAddr(t), hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--client-addr", clients, "--host-addr", hubtest.FreeAddr(t), "--client-token", hubtest.ClientToken, "--host-token", hubtest.HostToken)
	awaitListener(t, clients)
	wire := hubtest.NewNetwork(t, clients)
	p := startProcess(t, nil, "connect", "ws://"+wire.Addr, "--listen", local, "--token", hubtest.ClientToken, "--log-json")
	p.await(`"msg":"linked"`)
	status, body := hubtest.Get(t, local, "/json/version", nil)
	if status != http.StatusOK || !strings.Contains(body, "ws://"+local+"/devtools/browser") {
		t.Errorf("%d %s", status, body)
	}
	c := hubtest.Dial(t, "ws://"+local+"/devtools/browser", nil)
	const all = 300
	for i := range all {
		c.Send(fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion"}`, i+1))
		if i%60 == 30 {
			wire.Cut()
		}
	}
	for i := range all {
		if got := c.Next(); !strings.HasPrefix(got, fmt.Sprintf(`{"id":%d,`, i+1)) {
			t.Fatalf("answer %d is %s", i+1, got)
		}
	}
	p.await("the link is lost")
	p.await("the link is back")
	p.Process.Signal(syscall.SIGTERM)
	if why := c.Reason(); why != wsconn.ReasonGone {
		t.Errorf("the Client ended with %v", why)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("connect ended with %v", err)
	}
}

// TestConnectHoldsNothing ends a connection while its link is lost.
func TestConnectHoldsNothing(t *testing.T) {
	clients := hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--client-addr", clients, "--host-addr", hubtest.FreeAddr(t))
	awaitListener(t, clients)
	wire := hubtest.NewNetwork(t, clients)
	d, err := (&connectCmd{URL: "ws://" + wire.Addr, Listen: "127.0.0.1:0"}).dialer()
	if err != nil {
		t.Fatal(err)
	}
	f := &forwarder{dialer: d, log: zap.NewNop(), pipes: map[*link.Pipe]struct{}{}}
	holds := func(what string) {
		t.Helper()
		hubtest.Eventually(t, "the forwarder has "+what, func() bool { return held.Of(f)[what] == 1 })
	}
	near, far := net.Pipe()
	var all sync.WaitGroup
	all.Go(func() { f.carry(t.Context(), far) })
	holds("links")
	wire.Refuse(true)
	wire.Cut()
	holds("lost links")
	near.Close()
	f.end()
	all.Wait()
	heldtest.WantsNothing(t, "the forwarder", held.Of(f))
}

// TestConnectByTLSAndProxy reaches a hub by a name that only the proxy of the
// environment knows, with a certificate of an authority that the system is told of.
func TestConnectByTLSAndProxy(t *testing.T) {
	clients, local, dir := hubtest.FreeAddr(t), hubtest.FreeAddr(t), t.TempDir()
	cert, key := hubtest.WriteCertificate(t, dir, 1)
	startProcess(t, nil, "serve", "--client-addr", clients, "--host-addr", hubtest.FreeAddr(t), "--tls-cert", cert, "--tls-key", key, "--allowed-host", "hub.example")
	awaitListener(t, clients)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, err := net.Dial("tcp", clients)
		if err != nil || r.Method != http.MethodConnect || r.Host != "hub.example:443" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go io.Copy(far, near)
		io.Copy(near, far)
		near.Close()
	}))
	defer proxy.Close()
	p := startProcess(t, func(c *exec.Cmd) {
		c.Env = append(c.Env, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=", "SSL_CERT_FILE="+cert, "SSL_CERT_DIR="+filepath.Join(dir, "none"))
	}, "connect", "wss://hub.example", "--listen", local)
	p.await("linked")
	if status, body := hubtest.Get(t, local, "/json/version", nil); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}

// TestConnectRefuses wants to know what is wrong and what to do.
func TestConnectRefuses(t *testing.T) {
	clients := hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--client-addr", clients, "--host-addr", hubtest.FreeAddr(t))
	awaitListener(t, clients)
	guarded := hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--client-addr", guarded, "--host-addr", hubtest.FreeAddr(t), "--client-token", hubtest.ClientToken, "--host-token", hubtest.HostToken)
	awaitListener(t, guarded)
	nothing := httptest.NewServer(http.NotFoundHandler())
	defer nothing.Close()
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer app.Close()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"hub.example"}, "is not the address of a hub"},
		{[]string{"ws://hub.example/?token=x"}, "--token"},
		{[]string{"ftp://hub.example"}, "is not the address of a hub"},
		{[]string{"ws://" + guarded, "--listen", hubtest.FreeAddr(t)}, "refuses the token"},
		{[]string{"ws://" + guarded, "--listen", clients, "--token", hubtest.ClientToken}, "is taken by another program"},
		{[]string{nothing.URL, "--listen", hubtest.FreeAddr(t)}, "does not have links"},
		{[]string{app.URL, "--listen", hubtest.FreeAddr(t)}, "is not a hub"},
		{[]string{"ws://" + clients, "--listen", "9333"}, `--listen "9333" is not an address`},
		{[]string{"ws://" + clients, "--listen", "0.0.0.0:0"}, "--insecure-bind"},
	} {
		var out, err logtest.Buffer
		if failed := run(t.Context(), append([]string{"connect"}, tt.args...), &out, &err); failed == nil || !strings.Contains(failed.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.args, failed, tt.want)
		}
	}
	// Beyond loopback the link's token is nobody's.
	p := startProcess(t, nil, "connect", "ws://"+guarded, "--listen", "0.0.0.0:0", "--token", hubtest.ClientToken)
	p.await(`"msg":"linked"`)
	_, at, _ := strings.Cut(p.logs.String(), `"addr":"[::]:`)
	port, _, _ := strings.Cut(at, `"`)
	if port == "" {
		_, at, _ = strings.Cut(p.logs.String(), `"addr":"0.0.0.0:`)
		port, _, _ = strings.Cut(at, `"`)
	}
	for token, want := range map[string]int{"": 401, hubtest.WrongToken: 401, hubtest.ClientToken: 200} {
		header := http.Header{}
		if token != "" {
			header = hubtest.Bearer(token)
		}
		if status, body := hubtest.Get(t, "127.0.0.1:"+port, "/json/version", header); status != want {
			t.Errorf("with %q: %d %s, want %d", token, status, body, want)
		}
	}
}
