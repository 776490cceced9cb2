package httpserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// rates are those of the two kinds of servers.
var rates = map[string]BodyRate{"own": OwnRate, "app": AppRate}

// piped is a server whose connections are pipes, for tests with a clock of
// their own.
type piped struct {
	t     *testing.T
	ln    *starved
	ended chan error
	hs    *http.Server
}

func newPiped(t *testing.T, hs *http.Server) *piped {
	p := &piped{t, newStarved(time.Time{}), make(chan error, 1), hs}
	go func() { p.ended <- hs.Serve(p.ln) }()
	return p
}

func (p *piped) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.ln.conns <- theirs
	return ours
}

func (p *piped) close() {
	p.hs.Close()
	<-p.ended
}

// reads returns what comes until the connection ends, and when that was.
func reads(nc net.Conn) <-chan string {
	got := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(nc)
		got <- string(text)
	}()
	return got
}

// TestR136HalfBodies sends half a body and waits, whatever becomes of the
// request.
func TestR136HalfBodies(t *testing.T) {
	handlers := map[string]http.HandlerFunc{
		"refused":          func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) },
		"not found":        http.NotFound,
		"answered at once": func(w http.ResponseWriter, _ *http.Request) { http.NewResponseController(w).Flush() },
		"read": func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); !errors.Is(err, errSlowBody) {
				t.Errorf("the body ended with %v", err)
			}
			http.Error(w, "slow", http.StatusRequestTimeout)
		},
		"read twice": func(w http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			io.ReadAll(r.Body)
			r.Body.Close()
		},
		"closed":  func(_ http.ResponseWriter, r *http.Request) { r.Body.Close() },
		"a panic": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"answered late": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(5 * time.Minute)
			io.WriteString(w, "late")
		},
	}
	requests := map[string]string{
		"a length":      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
		"chunks":        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf",
		"no last chunk": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"a GET":         "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
		"a large one":   "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000000\r\n\r\nhalf",
		"an upgrade":    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 100\r\n\r\nhalf",
		"asked for":     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
	}
	for kind, make := range map[string]func(http.Handler, BodyRate, *zap.Logger) *http.Server{"own": New, "app": NewApp} {
		for what, handler := range handlers {
			synctest.Test(t, func(t *testing.T) {
				s := newPiped(t, make(handler, rates[kind], zap.NewNop()))
				for form, request := range requests {
					nc := s.dial()
					begun, got := time.Now(), reads(nc)
					go io.WriteString(nc, request)
					text := <-got
					most := 2 * rates[kind].Within
					if what == "answered late" {
						most += 5 * time.Minute
					}
					if took := time.Since(begun); took > most {
						t.Errorf("%s, %s, %s: ended after %v with %.100q", kind, what, form, took, text)
					}
					nc.Close()
				}
				s.close()
			})
		}
	}
}

// TestR136SlowBodies sends a byte now and then.
func TestR136SlowBodies(t *testing.T) {
	for kind, make := range map[string]func(http.Handler, BodyRate, *zap.Logger) *http.Server{"own": New, "app": NewApp} {
		synctest.Test(t, func(t *testing.T) {
			s := newPiped(t, make(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }), rates[kind], zap.NewNop()))
			nc := s.dial()
			begun, got := time.Now(), reads(nc)
			io.WriteString(nc, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
			for {
				if _, err := io.WriteString(nc, "x"); err != nil {
					break
				}
				time.Sleep(5 * time.Second)
			}
			<-got
			if took := time.Since(begun); took > 2*time.Minute {
				t.Errorf("%s: ended after %v", kind, took)
			}
			nc.Close()
			s.close()
		})
	}
}

// TestR136LongRequestsLive wants what takes long for good reasons to be left
// alone: uploads, what waits for whoever takes them, streams after them.
func TestR136LongRequestsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPiped(t, NewApp(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := int64(0)
			if r.URL.Path == "/slow" { // an app that is busy
				n, _ = io.CopyN(io.Discard, r.Body, 1)
				time.Sleep(time.Hour)
			}
			more, err := io.Copy(io.Discard, r.Body)
			fmt.Fprintf(w, "%d %v\n", n+more, err)
			for range 60 { // then events
				http.NewResponseController(w).Flush()
				time.Sleep(time.Minute)
				if r.Context().Err() != nil {
					t.Errorf("%s was given up: %v", r.URL, r.Context().Err())
				}
				io.WriteString(w, "tick\n")
			}
		}), AppRate, zap.NewNop()))
		nc := s.dial()
		in := bufio.NewReader(nc)
		for _, tt := range []struct {
			path          string
			parts, length int
			every         time.Duration
		}{
			{"/upload", 1000, 32 << 10, 5 * time.Second}, {"/slow", 4, 32 << 10, 0}, {"/", 0, 0, 0}, {"/upload", 1, 10, 0},
		} {
			go func() {
				fmt.Fprintf(nc, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", tt.path, tt.parts*tt.length)
				for range tt.parts {
					nc.Write(make([]byte, tt.length))
					time.Sleep(tt.every)
				}
			}()
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%s: %v", tt.path, err)
			}
			body, err := io.ReadAll(resp.Body)
			if want := fmt.Sprintf("%d <nil>\n", tt.parts*tt.length) + strings.Repeat("tick\n", 60); err != nil || string(body) != want {
				t.Errorf("%s: %.100q, %v", tt.path, body, err)
			}
		}
		time.Sleep(2 * idleWithin)
		if _, err := in.ReadByte(); err == nil {
			t.Error("an idle connection is kept")
		}
		nc.Close()
		s.close()
	})
}

// TestR136AnswersNobodyTakes asks for something long and does not read it: the
// hub gives up, an app's download goes on when it is read again.
func TestR136AnswersNobodyTakes(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(long)))
		io.WriteString(w, long)
	})
	for kind, make := range map[string]func(http.Handler, BodyRate, *zap.Logger) *http.Server{"own": New, "app": NewApp} {
		synctest.Test(t, func(t *testing.T) {
			s := newPiped(t, make(handler, rates[kind], zap.NewNop()))
			nc := s.dial()
			io.WriteString(nc, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			time.Sleep(10 * writeWithin)
			text, _ := io.ReadAll(nc)
			if whole := strings.HasSuffix(string(text), long); whole != (kind == "app") {
				t.Errorf("%s: after ten minutes %d bytes came", kind, len(text))
			}
			nc.Close()
			s.close()
		})
	}
	synctest.Test(t, func(t *testing.T) { // who works for long may still answer
		s := newPiped(t, New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			if r.URL.Path == "/empty" {
				w.WriteHeader(http.StatusNoContent)
			}
		}), OwnRate, zap.NewNop()))
		nc := s.dial()
		in := bufio.NewReader(nc)
		for path, status := range map[string]int{"/": 200, "/empty": 204} {
			go io.WriteString(nc, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
			if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != status {
				t.Errorf("%s: %v, %v; want %d", path, resp, err, status)
			}
		}
		nc.Close()
		s.close()
	})
}
