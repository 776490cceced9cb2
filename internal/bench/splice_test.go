package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// splice is what the hub is compared with: a forwarder of WebSocket frames that reads
// none of them. It has the same connections as the hub (package wsconn), so that what
// the hub needs beyond it is needed for the messages.
type splice struct {
	Clients int   // connected to /client/0, /client/1 …; the frames of the Host go to them in turn
	Copies  int   // of each frame of the Host
	Answers []int // frames of so many bytes are the answer to each frame of a Client, instead of the Host's
	Tell    int   // with Answers: so many frames of Clients become one to the Host
}

// runSplice listens on a free port of loopback, and tells which in the form of the hub's
// log.
func runSplice(config string) {
	var s splice
	if err := json.Unmarshal([]byte(config), &s); err != nil {
		panic(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, `{"msg":"listening","addr":%q,"clients":true,"hosts":true}`+"\n", ln.Addr())
	panic(http.Serve(ln, s.handler()))
}

func (s splice) handler() http.Handler {
	var connected sync.WaitGroup // until all are
	connected.Add(1 + s.Clients)
	var host *wsconn.Conn
	clients := make([]*wsconn.Conn, s.Clients)
	var answers [][]byte
	for _, n := range s.Answers {
		answers = append(answers, bytes.Repeat([]byte{'x'}, n))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/host", func(w http.ResponseWriter, r *http.Request) {
		turn := 0
		serveSpliced(w, r, func(conn *wsconn.Conn) { host = conn; connected.Done() }, func(message []byte) {
			connected.Wait()
			for range s.Copies {
				clients[turn%s.Clients].Deliver(wire.Frame{Body: message})
			}
			turn++
		})
	})
	mux.HandleFunc("/client/{place}", func(w http.ResponseWriter, r *http.Request) {
		place, err := strconv.Atoi(r.PathValue("place"))
		if err != nil || place < 0 || place >= s.Clients {
			http.NotFound(w, r)
			return
		}
		seen := 0
		serveSpliced(w, r, func(conn *wsconn.Conn) { clients[place] = conn; connected.Done() }, func(message []byte) {
			connected.Wait()
			for _, answer := range answers {
				clients[place].Deliver(wire.Frame{Body: answer})
			}
			if seen++; answers == nil || s.Tell > 0 && seen%s.Tell == 0 {
				host.Deliver(wire.Frame{Body: message})
			}
		})
	})
	return mux
}

func serveSpliced(w http.ResponseWriter, r *http.Request, put func(*wsconn.Conn), handle func([]byte)) {
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{AnyKey: true})
	if err != nil {
		return
	}
	put(conn)
	go conn.Serve(process{}.Context(), handle)
}

// openSplice connects to a new splice. The Host answers each frame with answer, unless
// that is nil.
func openSplice(tb testing.TB, config splice, answer []byte) *side {
	tb.Helper()
	args, err := json.Marshal(config)
	if err != nil {
		tb.Fatal(err)
	}
	s := newSide(tb, startChild(tb, "splice", os.Args[0], string(args)))
	for i := range config.Clients {
		s.clients = append(s.clients, s.connect(fmt.Sprintf("ws://%s/client/%d", s.child.clients, i), s.receive))
	}
	s.host = s.connect("ws://"+s.child.hosts+"/host", func(host *wsconn.Conn, _ []byte) {
		if answer != nil {
			host.Deliver(wire.Frame{Body: answer})
		}
	})
	return s
}

// TestSplice wants frames of the Host to go to the Clients in turn, and frames of a Client
// to the Host, or some of them where the splice itself answers.
func TestSplice(t *testing.T) {
	for _, tt := range []struct {
		config splice
		begin  func(s *side)
		want   string
	}{
		{splice{Clients: 2, Copies: 2}, func(s *side) { send(s.host, []byte("a")); send(s.host, []byte("b")) }, "[0:a 0:a 1:b 1:b]"},
		{splice{Clients: 1, Copies: 1}, func(s *side) { send(s.clients[0], []byte("a")) }, "[0:told]"},
		{splice{Clients: 1, Copies: 1, Answers: []int{2, 3}, Tell: 2}, func(s *side) {
			for range 4 {
				send(s.clients[0], []byte("a"))
			}
		}, "[0:told 0:told 0:xx 0:xx 0:xx 0:xx 0:xxx 0:xxx 0:xxx 0:xxx]"},
	} {
		var mu sync.Mutex
		var got []string
		s := openSplice(t, tt.config, []byte("told"))
		s.burst(&load{sync.OnceFunc(func() { tt.begin(s) }), func(client *wsconn.Conn, m []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprintf("%d:%s", slices.Index(s.clients, client), m))
			return true
		}}, len(strings.Fields(tt.want)))
		slices.Sort(got)
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%+v: Clients got %v, want %s", tt.config, got, tt.want)
		}
	}
}
