// Package cluster says which of several nodes owns a hub: all requests for the hub
// are served there.
//
//	var all cluster.Memory // nodes of one process; internal/cluster/nats has those of many
//	nodes := all.Join(cluster.Node{ID: "a", Peer: "127.0.0.1:9301"})
//	claim, err := nodes.Claim(ctx, "hub", 0)
package cluster

import (
	"context"
	"errors"
	"time"
)

// Epoch numbers the claims of one hub: a later claim has a greater one. 0 is that
// of a hub that was never claimed. It is what others call a fencing token: a node
// refuses requests that name another epoch than its own.
type Epoch uint64

var (
	// ErrNoOwner says that no node owns the hub, or that the one that did has ended.
	// Owner then returns the epoch of the last claim, for Claim.
	ErrNoOwner = errors.New("no node owns this hub")
	// ErrTaken says that another claim of the hub was faster.
	ErrTaken = errors.New("another node has claimed this hub meanwhile")
	// ErrUncertain says that this node has not reached the directory for so long that
	// others may take its hubs.
	ErrUncertain = errors.New("this node does not reach the directory of the cluster: try again later")
	// ErrNoBrowser says that all nodes together have as many browsers as they may.
	ErrNoBrowser = errors.New("the nodes of the cluster together already have the maximum number of browsers")
	// ErrLast says that this node is the last one that serves.
	ErrLast = errors.New("this is the last node that is not drained: start another node first, or stop the process of this node")
	// ErrClosed says that the Directory has been closed.
	ErrClosed = errors.New("the directory is closed")
)

// Node is one process of a cluster.
type Node struct {
	ID       string    `json:"id"`   // of this process: after a restart it is another
	Name     string    `json:"name"` // for people
	Peer     string    `json:"peer"` // the address at which other nodes reach it
	Version  string    `json:"version"`
	Since    time.Time `json:"since"`
	Hubs     int       `json:"hubs"` // that it owns
	Draining bool      `json:"draining"`

	Browsers *Browsers `json:"browsers,omitempty"` // nil: it may have none
	Waits    *Waits    `json:"waits,omitempty"`    // while Draining, for what; nil: for nothing, it is about to end
}

// Waits are the sessions whose end a node waits for before it ends itself.
type Waits struct {
	Until     time.Time `json:"until"`     // when it ends at the latest
	Clients   int       `json:"clients"`   // of its hubs, and named sessions without a connection
	Forwarded int       `json:"forwarded"` // Clients that are connected to it, and that other nodes serve
	Browsers  int       `json:"browsers"`  // those without a user too, as long as they run
}

// Left is how many sessions are left.
func (w Waits) Left() int { return w.Clients + w.Forwarded + w.Browsers }

// Browsers are those of a node.
type Browsers struct {
	Hubs    []string `json:"hubs"`              // that have one: names, and patterns
	Max     int      `json:"max"`               // that the node may have
	Running int      `json:"running"`           // that it has, or starts
	Idle    int      `json:"idle"`              // of these, without a user
	Broken  bool     `json:"broken,omitempty"`  // none can be started, as far as the node knows
	Divided bool     `json:"divided,omitempty"` // each share of tokens has one of its own
}

// Directory is what one node knows of all of them. All its methods are safe for
// concurrent use.
//
//	owner, err := nodes.Owner(ctx, "hub")
//	if errors.Is(err, cluster.ErrNoOwner) {
//		claim, err := nodes.Claim(ctx, "hub", owner.Epoch) // ErrTaken: ask again
//	}
type Directory interface {
	// Self is this node.
	Self() Node
	// Owner finds the owner of a hub; ErrNoOwner when there is none. It may lag
	// behind a claim: the owner itself refuses an epoch that is not its own.
	Owner(ctx context.Context, hub string) (Owner, error)
	// Forget has the next Owner of this hub ask anew.
	Forget(hub string)
	// Claim makes this node the owner of a hub whose last claim has the epoch after.
	// If there was another claim meanwhile, it returns ErrTaken.
	Claim(ctx context.Context, hub string, after Epoch) (Claim, error)
	// Left is the newest Note of an owner of this hub; nil where there is none. Notes are
	// forgotten two hours after they were written. The bytes are the caller's.
	Left(ctx context.Context, hub string) ([]byte, error)
	// Nodes lists the nodes that are alive, this one included, sorted by name.
	Nodes() []Node
	// Tell replaces what this node says of its browsers. The other nodes know it soon.
	Tell(b *Browsers)
	// ReserveBrowser counts a browser of this node, while all nodes together have fewer than
	// most; else it returns ErrNoBrowser. Those of nodes that are dead do not count.
	ReserveBrowser(ctx context.Context, most int) error
	// ReleaseBrowser takes one browser of this node off the count. It does not wait.
	ReleaseBrowser()
	// MayEnd counts this node as one that ends, unless no other one that is alive would
	// stay: then it returns ErrLast. Of nodes that ask at the same time, one stays.
	MayEnd(ctx context.Context) error
	// Drain tells the other nodes that this one takes no new hub, and waits for sessions. nil
	// says that it is about to end.
	Drain(ctx context.Context, w *Waits) error
	// Close gives up every claim of this node. Claim.Lost stays open.
	Close(ctx context.Context) error
}

// Claim is this node's ownership of a hub.
type Claim interface {
	Epoch() Epoch
	// Lost is closed when the node knows of a newer claim. A claim that has been
	// released is not lost.
	Lost() <-chan struct{}
	// Certain returns nil while another node can only have a newer claim if it has waited
	// for the end of this node's lease, or has found this node dead or out of reach. After
	// an error nothing new may begin on the hub; what has begun goes on.
	Certain(ctx context.Context) error
	Release(ctx context.Context) error
	// Note leaves a text for the owner after this one, in the place of the last. An empty
	// one leaves none. After a newer claim has left a Note it fails with ErrTaken. It keeps no
	// part of text, which has at most MaxNote bytes (ErrLongNote).
	Note(ctx context.Context, text []byte) error
}

// MaxNote is the longest Note, in bytes.
const MaxNote = 256 << 10

// ErrLongNote refuses a longer one.
var ErrLongNote = errors.New("the note of a hub is too long for the directory")

// Owner is the node that owns a hub. The node may have lost the hub since it was asked for.
type Owner struct {
	Node  Node
	Epoch Epoch
}
