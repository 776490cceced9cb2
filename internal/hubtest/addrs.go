package hubtest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// firstPort and lastPort are the ends of a range that no system gives away by itself:
// Linux takes those of outgoing connections and of port 0 from 32768 on
// (net.ipv4.ip_local_port_range), others from 49152 on (RFC 6335, section 6). What starts
// at one of these ports later still finds it free.
const firstPort, lastPort = 20000, 32767

// FreeAddrs finds addresses of loopback at which nothing listens, no two the same.
func FreeAddrs(t testing.TB, n int) (addrs []string) {
	t.Helper()
	for range 1000 {
		if len(addrs) == n {
			return addrs
		}
		port := firstPort + rand.IntN(lastPort-firstPort+1) //nolint:gosec // not a secret
		ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		defer ln.Close() // after all of them are chosen
		addrs = append(addrs, ln.Addr().String())
	}
	t.Fatalf("%d addresses were free, not %d", len(addrs), n)
	return nil
}

// FreeAddr finds one.
func FreeAddr(t testing.TB) string {
	t.Helper()
	return FreeAddrs(t, 1)[0]
}
