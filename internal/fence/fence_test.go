package fence

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestR255OwnListeners(t *testing.T) {
	var f Fence
	closed := f.Listens(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9222})
	again := f.Listens(&net.TCPAddr{IP: net.IPv6loopback, Port: 9222})
	f.Listens(&net.UnixAddr{Name: "/s", Net: "unix"})
	own := []string{"127.0.0.1:9222", "127.1.2.3:9222", "[::1]:9222", "0.0.0.0:9222", "[::]:9222", "[::ffff:127.0.0.1]:9222", "[::ffff:0.0.0.0]:9222", "[::1%lo]:9222"}
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		own = append(own, net.JoinHostPort(a.(*net.IPNet).IP.String(), "9222"))
	}
	for _, at := range own {
		if !f.Own(netip.MustParseAddrPort(at)) {
			t.Errorf("%s is not one of ours", at)
		}
	}
	for _, at := range []string{"127.0.0.1:9223", "198.51.100.7:9222", "[2001:db8::7]:9222", "127.0.0.1:0"} {
		if f.Own(netip.MustParseAddrPort(at)) {
			t.Errorf("%s is one of ours", at)
		}
	}
	again()
	again() // a second call does nothing
	if len(f.Ports()) != 1 {
		t.Errorf("a listener is left, and the ports are %v", f.Ports())
	}
	closed()
	if f.Own(netip.MustParseAddrPort(own[0])) || len(f.Ports()) != 0 {
		t.Error("it knows a listener that is closed")
	}
	if (*Fence)(nil).Own(netip.MustParseAddrPort(own[0])) {
		t.Error("no fence knows a listener")
	}
}

// TestR256ProgramsAreNotAsked has requests of programs, which need no look at processes, and
// those that a browser could have sent.
func TestR256ProgramsAreNotAsked(t *testing.T) {
	for name, tt := range map[string]struct {
		host, header string
		program      bool
	}{
		"an address":              {"127.0.0.1:9222", "", true},
		"another of loopback":     {"127.8.8.8", "", true},
		"IPv6":                    {"[::1]:9222", "", true},
		"localhost":               {"LOCALHOST.:9222", "", true},
		"below localhost":         {"a.localhost", "", true},
		"an origin":               {"127.0.0.1:9222", "Origin", false},
		"Fetch Metadata":          {"localhost", "Sec-Fetch-Site", false},
		"no name":                 {"", "", false},
		"another name":            {"hub.example", "", false},
		"localhost in a name":     {"localhost.example", "", false},
		"not below localhost":     {"alocalhost", "", false},
		"unspecified":             {"0.0.0.0:9222", "", false},
		"unspecified IPv6":        {"[::]:9222", "", false},
		"IPv4 within IPv6":        {"[::ffff:127.0.0.1]:9222", "", false},
		"an address of a network": {"192.0.2.1:9222", "", false},
	} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", http.NoBody)
		r.Host = tt.host
		if tt.header != "" {
			r.Header.Set(tt.header, "")
		}
		if got := ofProgram(r); got != tt.program {
			t.Errorf("%s: %v, want %v", name, got, tt.program)
		}
	}
}

// BenchmarkSent asks who has sent a request, beside one group with as many processes as a
// browser has.
func BenchmarkSent(b *testing.B) {
	var f Fence
	defer f.Started(1 << 22)() // above all that there are (proc_sys_kernel(5), pid_max)
	var sent bool
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for b.Loop() {
			sent = f.Sent(r)
		}
	}))
	defer s.Close()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.URL, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Origin", "null")
	resp, err := s.Client().Do(r)
	if err != nil {
		b.Fatal(err)
	}
	resp.Body.Close()
	if sent {
		b.Fatal("this program is taken for a browser")
	}
}
