package session

import "github.com/cdphub/cdphub/internal/wire"

// Peer is what a Client is to the hub: somebody frames can be handed to.
type Peer interface {
	// Deliver queues one frame. It never blocks and keeps no part of the
	// frame: the bytes are the caller's again when it returns. It reports
	// whether the frame was taken: false once the peer is on its way out.
	Deliver(wire.Frame) bool
}
