package wsconn

import "net"

// Pipe joins two connections in memory, without a handshake: for tests, also
// those that run on a fake clock.
func Pipe(server, client Limits) (*Conn, *Conn) {
	a, b := net.Pipe()
	server, client = server.withDefaults(), client.withDefaults()
	s, c := newConn(a, &server), newConn(b, &client)
	c.client = true
	return s, c
}
