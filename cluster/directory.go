// Package cluster says which node of several owns a hub, that is, where its Host
// is connected.
//
//	var nodes cluster.Memory // all hubs of one process
//	claim, err := nodes.Claim(ctx, "hub")
package cluster

import (
	"context"
	"errors"
)

// Epoch numbers the claims of one hub: a later claim has a greater one.
type Epoch uint64

// ErrNoHost says that no node has a Host for the hub.
var ErrNoHost = errors.New("no node has a Host for this hub")

// ErrClosed says that the Directory has been closed.
var ErrClosed = errors.New("the directory is closed")

// Directory says where each hub's Host is. All its methods are safe for
// concurrent use.
type Directory interface {
	// Claim makes this node the owner of a hub: the newest claim wins. Its
	// epoch is greater than that of every earlier claim of the hub.
	Claim(ctx context.Context, hub string) (Claim, error)
	// Owner finds the owner of a hub; ErrNoHost when there is none. It may lag
	// behind a claim: the owner itself refuses an epoch that is not its own.
	Owner(ctx context.Context, hub string) (Owner, error)
	// Close gives up every claim of this node.
	Close(ctx context.Context) error
}

// Claim is this node's ownership of a hub.
type Claim interface {
	Epoch() Epoch
	// Lost is closed when a newer claim exists, or when ownership is no longer
	// certain. A claim that has been released is not lost.
	Lost() <-chan struct{}
	Release(ctx context.Context) error
}

// Owner is where a hub's Host is.
type Owner struct {
	Local bool
	Peer  string // the address to dial when it is not local
	Epoch Epoch
}
