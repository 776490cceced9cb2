package chrome

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// proxied starts a proxy that lets nobody to 127.0.0.2, and a site.
func proxied(t *testing.T, site http.HandlerFunc) (p *egressProxy, at *url.URL, c *http.Client) {
	t.Helper()
	s := httptest.NewServer(site)
	t.Cleanup(s.Close)
	at, _ = url.Parse(s.URL)
	policy, err := urlpolicy.New(urlpolicy.Options{Block: []string{"127.0.0.2", "secret.test"}})
	if err != nil {
		t.Fatal(err)
	}
	rules := fmt.Sprintf("MAP ok.test %s, MAP secret.test %[1]s, MAP inner.test 127.0.0.2, MAP * ~NOTFOUND, EXCLUDE 127.0.0.*", at.Host)
	p, err = listenEgress(policy, urlpolicy.NewResolver(rules), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	through := &url.URL{Scheme: "http", Host: p.Addr()}
	transport := &http.Transport{Proxy: http.ProxyURL(through), DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return p, at, &http.Client{Transport: transport, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestForwards(t *testing.T) {
	_, _, c := proxied(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Answer", "yes")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, r.Method, " ", r.Host, r.URL, " ", r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Own"), r.Header.Get("Proxy-Connection"), " ", string(body))
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://ok.test/a?b;c=%25", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Own", "own")
	req.Header.Set("X-Forwarded-For", "theirs-")
	req.Header.Set("Proxy-Connection", "keep-alive")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, _ := io.ReadAll(resp.Body)
	if want := "PUT ok.test/a?b;c=%25 theirs-own text"; string(got) != want || resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Answer") != "yes" {
		t.Errorf("%d %s, want %s", resp.StatusCode, got, want)
	}
}

// TestR146OnlyWhatIsJudged asks for what may not be asked for, and for the
// proxy itself, by requests and by tunnels.
func TestR146OnlyWhatIsJudged(t *testing.T) {
	came := make(chan string, 10)
	p, at, c := proxied(t, func(_ http.ResponseWriter, r *http.Request) { came <- r.Host })
	_, own, _ := net.SplitHostPort(p.Addr())
	for _, host := range []string{"secret.test", "inner.test:" + at.Port(), "127.0.0.2:" + at.Port(), "2130706434:" + at.Port(), "169.254.169.254", "unknown.test", "127.0.0.1:" + own, "0.0.0.0:" + own} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/", http.NoBody)
		if resp, err := c.Do(req); err == nil {
			resp.Body.Close()
			t.Errorf("%s answers %d", host, resp.StatusCode)
		}
		if !strings.Contains(host, ":") {
			host += ":443"
		}
		if status := connect(t, p, host); strings.HasPrefix(status, "HTTP/1.1 200") {
			t.Errorf("there is a tunnel to %s", host)
		}
	}
	for _, request := range []string{"GET / HTTP/1.1\r\nHost: ok.test\r\n\r\n", "GET https://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "GET ftp://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n"} {
		if status := say(t, p, request); !strings.HasPrefix(status, "HTTP/1.1 400") {
			t.Errorf("%q: %s", request, status)
		}
	}
	select {
	case host := <-came:
		t.Errorf("%s was asked", host)
	default:
	}
	if status := connect(t, p, "ok.test:80"); !strings.HasPrefix(status, "HTTP/1.1 200") {
		t.Errorf("ok.test: %s", status)
	}
}

func connect(t *testing.T, p *egressProxy, host string) string {
	return say(t, p, "CONNECT "+host+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
}

// say sends a request and returns the first line of the answer; "" for none.
func say(t *testing.T, p *egressProxy, request string) string {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(conn, request)
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return line
}

// TestTunnelsEnd ends a tunnel from each side while bytes go through it: the other end is closed,
// and nothing is left.
func TestTunnelsEnd(t *testing.T) {
	for name, end := range map[string]func(p *egressProxy, browser net.Conn){
		"the proxy is closed": func(p *egressProxy, _ net.Conn) { p.Close() },
		"the browser closes":  func(_ *egressProxy, browser net.Conn) { browser.(*net.TCPConn).CloseWrite() },
	} {
		begun, gone := make(chan struct{}), make(chan struct{})
		p, _, _ := proxied(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			close(begun)
			<-r.Context().Done()
			close(gone)
		})
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "CONNECT ok.test:80 HTTP/1.1\r\nHost: ok.test:80\r\n\r\nGET / HTTP/1.1\r\nHost: ok.test\r\n\r\n")
		<-begun
		end(p, conn)
		conn.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the tunnel stays", name)
		}
		select {
		case <-gone:
		case <-time.After(time.Minute):
			t.Errorf("%s: the site still has its connection", name)
		}
		p.Close()
		if len(p.tunnels) > 0 {
			t.Errorf("%s: %d ends are left", name, len(p.tunnels))
		}
	}
}
