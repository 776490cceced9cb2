package proxy

import (
	"bufio"
	"compress/gzip"
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
)

func TestStreams(t *testing.T) {
	for contentType, parts := range map[string][][2]string{
		"text/event-stream": {{"data: 1\n\n", "data: 1\n\n"}, {"data: 2\n\n", "data: 2\n\n"}},
		forHTML:             {{"<html><head>", "<html><head>@@"}, {"<title>a</title>", "<title>a</title>"}, {"<p>b", "<p>b"}},
	} {
		written := make(chan string, 1)
		own, upstream := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for text := range written {
				io.WriteString(w, text)
				w.(http.Flusher).Flush()
			}
		}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		req, _ := http.NewRequestWithContext(ctx, "GET", own, http.NoBody)
		written <- parts[0][0]
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range parts {
			if i > 0 {
				written <- part[0]
			}
			want := strings.Replace(part[1], "@@", wholeTagOf(own, upstream), 1)
			got := make([]byte, len(want))
			if _, err := io.ReadFull(res.Body, got); err != nil || withoutKey(got) != want {
				t.Errorf("%s: read %q, %v, want %q before the next is written", contentType, got, err, want)
			}
		}
		close(written)
		cancel()
		res.Body.Close()
	}
}

func TestGzipStreams(t *testing.T) {
	proceed := make(chan bool)
	own, upstream := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", forHTML)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 2 {
			io.WriteString(z, "<p>part")
			z.Flush()
			w.(http.Flusher).Flush()
			<-proceed
		}
		z.Close()
	}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", own, http.NoBody)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for _, want := range []string{wholeTagOf(own, upstream) + "<p>part", "<p>part"} {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(res.Body, got); err != nil || withoutKey(got) != want {
			t.Errorf("read %q, %v, want %q before the next is written", got, err, want)
		}
		proceed <- true
	}
	if rest, err := io.ReadAll(res.Body); len(rest) > 0 || err != nil {
		t.Errorf("at the end %q, %v", rest, err)
	}
}

func TestWebSocket(t *testing.T) {
	var origin string
	own, upstream := serve(t, func(w http.ResponseWriter, r *http.Request) {
		origin = r.Header.Get("Origin")
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: vite-hmr\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString("echo " + line)
		rw.Flush()
	}, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(own, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "GET /?token=a HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: vite-hmr\r\n\r\n",
		strings.TrimPrefix(own, "http://"), own)
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != 101 || res.Header.Get("Sec-WebSocket-Protocol") != "vite-hmr" || origin != upstream {
		t.Fatalf("handshake: %v, %v, Origin %s", res, err, origin)
	}
	fmt.Fprint(conn, "hello\n")
	if line, err := r.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("read %q, %v", line, err)
	}
}

func TestNoUpstream(t *testing.T) {
	const gone = "The app at http://127.0.0.1:1 cannot be reached (net::ERR_CONNECTION_REFUSED): start it, or give cdphub the right address"
	own, _ := serve(t, nil, func(o *Options) { o.Upstream = &url.URL{Scheme: "http", Host: "127.0.0.1:1"} })
	res, body := ask(t, "GET", own+"/", "Sec-Fetch-Dest: iframe")
	if res.StatusCode != 502 || !strings.Contains(body, tagOf(own)) || !strings.Contains(body, gone) || strings.Index(body, "reload()") > strings.Index(body, tagOf(own)) {
		t.Errorf("a document: %d %s", res.StatusCode, body)
	}
	if res, body := ask(t, "GET", own+"/"); res.StatusCode != 502 || !strings.HasPrefix(body, gone+".\n") || res.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("a program: %d %s", res.StatusCode, body)
	}
	if res, body := ask(t, "GET", own+"/", "Accept: application/json"); res.StatusCode != 502 || !strings.HasPrefix(body, `{"error":"`+gone+`","reason":"net::ERR_CONNECTION_REFUSED"`) {
		t.Errorf("a program that reads JSON: %d %s", res.StatusCode, body)
	}
	if res, _ := ask(t, "POST", own+"/", "Sec-Fetch-Dest: iframe"); res.StatusCode != 502 {
		t.Errorf("a form: %d", res.StatusCode)
	}
	if res, _ := ask(t, "GET", own+"/__hub/app"); res.StatusCode != 503 {
		t.Errorf("whether the app is there: %d, want 503", res.StatusCode)
	}
	there, _ := serve(t, nil, nil)
	if res, _ := ask(t, "GET", there+"/__hub/app"); res.StatusCode != 204 {
		t.Errorf("whether one is there that is: %d, want 204", res.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", own+"/a.js", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Dest", "script")
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Errorf("a script: %v, want a network error", res)
	}
	for _, bad := range []string{"ftp://a/", "localhost:3000", "http:///x", "/x"} {
		at, err := url.Parse(bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(Options{Upstream: at, Log: zap.NewNop()}); err == nil {
			t.Errorf("%s was taken for an upstream", bad)
		}
	}
}

// What asks for another server gets this app, and never that server.
func TestOneUpstreamOnly(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "app "+r.Host) }, nil)
	other := httptest.NewServer(answer(200, "other"))
	defer other.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(own, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s/ HTTP/1.1\r\nHost: %s\r\n\r\n", other.URL, strings.TrimPrefix(other.URL, "http://"))
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(res.Body); !strings.HasPrefix(string(body), "app ") {
		t.Errorf("answered %s", body)
	}
	fmt.Fprintf(conn, "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
	if res, err := http.ReadResponse(r, nil); err != nil || res.StatusCode != 405 {
		t.Errorf("CONNECT: %v, %v", res, err)
	}
}
