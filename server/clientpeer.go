package server

import (
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/session"
)

// clientPeer is a Client's connection as its hub knows it.
type clientPeer struct {
	*session.Encoder
	conn *wsconn.Conn
}

func newClientPeer(conn *wsconn.Conn) clientPeer { return clientPeer{session.NewEncoder(conn), conn} }

// Drained implements relay.Drained. It is called under Hub.mu; Close does not wait.
func (c clientPeer) Drained() { c.conn.Close(wsconn.ReasonShutdown) }
