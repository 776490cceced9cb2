package wsconn

import "net"

// Pipe joins two connections in memory, without a handshake. It is for tests of
// other packages, above all those that run on a fake clock (testing/synctest).
func Pipe(server, client Limits) (*Conn, *Conn) {
	a, b := net.Pipe()
	server, client = server.withDefaults(), client.withDefaults()
	s, c := newConn(a, &server), newConn(b, &client)
	c.client = true
	return s, c
}
