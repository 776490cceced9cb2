// Package natsdir is the directory of a cluster on NATS JetStream: which nodes are
// alive, and which of them owns which hub.
//
//	srv, err := natsdir.StartServer(natsdir.ServerOptions{Name: "a", Routes: …})
//	dir, err := natsdir.Open(ctx, natsdir.Options{Server: srv, Node: cluster.Node{…}})
//
// Nodes ask it when somebody connects, and never for a command. The
// records are in key-value buckets:
//
//	cdphub-nodes       node id: a cluster.Node; it expires when the node does not renew it
//	cdphub-owner-NN    key of a hub: {"hub":"x","node":"ID","claim":"RANDOM"}
//	                   note- and that key: the epoch in 8 bytes, and what the owner has noted
//	                   made: says that the bucket has lost nothing since it was made
//	cdphub-reserved    "browsers": {"ID":3}, how many each node has
//	                   "ends": ["ID"], nodes that are drained
//
// A claim is a write that expects the revision of the one before, and its own revision
// is its epoch.
package natsdir

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
)

// Options say where the directory is. Zero fields take the default.
type Options struct {
	Server *Server // the one in this process; nil: the one at URL
	URL    string  // of NATS servers with JetStream, separated by commas
	// Replicas is how many servers hold each record: 1, 3 or 5; 3.
	Replicas int
	Node     cluster.Node  // this node; its ID is made where it is empty
	Lease    time.Duration // after which a node that is silent has no hubs; 10 s
	Log      *zap.Logger   // nothing is logged when nil
}

// buckets is how many buckets the claims are in. Each may have another leader, so that
// the end of one server does not stop all claims.
const buckets = 16

const (
	nodesBucket = "cdphub-nodes"
	ownerBucket = "cdphub-owner-%02d"
	// evictSubject tells a node that another has claimed one of its hubs.
	evictSubject = "cdphub.node.%s.evict"
	// saysSubject carries what a node says of itself, for nodes that would read it in
	// the bucket only later.
	saysSubject = "cdphub.nodes"
	// markerKept is how long the directory remembers that a hub was given back.
	markerKept = time.Minute
	// notesKept is how long a note stays that is not written again.
	notesKept = 2 * time.Hour
	// cachedFor is how long an owner is not asked for again, and cachedHubs how many
	// owners are remembered.
	cachedFor  = 30 * time.Second
	cachedHubs = 1 << 16
	// checkedFor is how long a claim is not compared with the directory again.
	checkedFor = time.Second
	// answerWithin is how long one request may take. A server without a leader does not
	// answer at all.
	answerWithin = 2 * time.Second
	// askAgain is when a question is asked again that has no answer yet.
	askAgain = 200 * time.Millisecond
	// retryEvery is the pause between attempts to reach a directory without a leader.
	retryEvery = 100 * time.Millisecond
)

// Directory implements cluster.Directory.
type Directory struct {
	o      Options // static after Open, as is all down to mu
	log    *zap.Logger
	conn   *nats.Conn
	nodes  *bucket
	owners [buckets]*bucket
	shared *bucket
	ended  context.CancelFunc
	done   sync.WaitGroup

	renewNow    chan struct{} // has room for one: others are to know at once what this node says
	renewTurn   chan struct{} // holds one while the record of this node is written
	reserveTurn chan struct{} // holds one while the record of browsers is written
	endTurn     chan struct{} // holds one while this node asks whether it may end

	mu      sync.Mutex // guards everything below
	renewed time.Time  // when the last renewal that came through began
	self    cluster.Node
	alive   map[string]cluster.Node
	held    map[string]*claim
	cache   map[string]cached
	closed  bool

	reserved      int  // browsers of this node
	reservedStale bool // the directory knows another number
	endUnknown    bool // the directory may think that this node ends
}

// cached is an owner that is not asked for again until then.
type cached struct {
	owner cluster.Owner
	until time.Time
}

// record is the value of a claim.
type record struct {
	Hub   string `json:"hub"`
	Node  string `json:"node"`
	Claim string `json:"claim"` // tells two claims of one node apart
}

// Open joins the directory, and waits until it has a leader, or ctx ends.
func Open(ctx context.Context, o Options) (*Directory, error) {
	o.Replicas, o.Lease = cmp.Or(o.Replicas, 3), cmp.Or(o.Lease, 10*time.Second)
	o.Node.ID, o.Node.Since = cmp.Or(o.Node.ID, rand.Text()), time.Now().UTC()
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	d := &Directory{
		o: o, log: o.Log.Named("directory"), self: o.Node,
		renewNow: make(chan struct{}, 1), renewTurn: make(chan struct{}, 1), reserveTurn: make(chan struct{}, 1), endTurn: make(chan struct{}, 1),
		alive: make(map[string]cluster.Node), held: make(map[string]*claim), cache: make(map[string]cached),
	}
	if err := d.connect(ctx); err != nil {
		return nil, err
	}
	if err := d.begin(ctx); err != nil {
		d.conn.Close()
		return nil, err
	}
	return d, nil
}

// connect connects to NATS, and opens the buckets. It waits for them until ctx ends.
func (d *Directory) connect(ctx context.Context) (err error) {
	// The client never gives up, also if no server is there at first. A dead connection is
	// noticed after three pings, three fifths of the lease, so that another server can be
	// tried before the lease is over.
	options := []nats.Option{
		nats.Name("cdphub " + d.o.Node.Name), nats.MaxReconnects(-1), nats.ReconnectWait(retryEvery), nats.RetryOnFailedConnect(true),
		nats.PingInterval(d.o.Lease / 5), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
	}
	if d.o.Server != nil {
		d.conn, err = d.o.Server.connect(options)
	} else {
		d.conn, err = nats.Connect(d.o.URL, options...)
	}
	if err != nil {
		return fmt.Errorf("the directory of the cluster: %w", err)
	}
	js, err := jetstream.New(d.conn)
	if err != nil {
		return err
	}
	if d.nodes, err = d.open(ctx, js, nodesBucket, d.o.Lease, false); err != nil {
		return err
	}
	if d.shared, err = d.open(ctx, js, reservedBucket, 0, false); err != nil {
		return err
	}
	for i := range d.owners {
		if d.owners[i], err = d.open(ctx, js, fmt.Sprintf(ownerBucket, i), 0, true); err != nil {
			return err
		}
	}
	return nil
}

// pauseFor waits, and returns the cause of ctx if that ends before.
func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// begin makes this node one of the cluster.
func (d *Directory) begin(ctx context.Context) error {
	renew := func() error {
		once, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		return d.renew(once)
	}
	for renew() != nil {
		if err := pauseFor(ctx, retryEvery); err != nil {
			return fmt.Errorf("this node could not join the directory of the cluster: %w", err)
		}
	}
	if err := d.readNodes(ctx); err != nil {
		d.log.Debug("it is not known yet which nodes are alive", zap.Error(err))
	}
	// From here on others may claim hubs of this node, and say so.
	if _, err := d.conn.Subscribe(fmt.Sprintf(evictSubject, d.o.Node.ID), d.evicted); err != nil {
		return err
	}
	if _, err := d.conn.Subscribe(saysSubject, d.heard); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	d.ended = cancel
	d.done.Go(func() { d.keep(running) })
	d.done.Go(func() { (&sweeper{d: d}).run(running) })
	return nil
}

// place is the bucket and the key of a hub. The name is hashed, so that the hubs are spread
// evenly and the default hub, whose name is empty, has a key.
func (d *Directory) place(hub string) (*bucket, string) {
	sum := sha256.Sum256([]byte(hub))
	key := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
	return d.owners[sum[16]%buckets], key
}

// Self implements cluster.Directory.
func (d *Directory) Self() cluster.Node {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.selfLocked()
}

// selfLocked is this node as it says of itself now.
func (d *Directory) selfLocked() cluster.Node {
	n := d.self
	n.Hubs = len(d.held)
	return n
}

// Nodes implements cluster.Directory.
func (d *Directory) Nodes() []cluster.Node {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []cluster.Node{d.selfLocked()}
	for id, n := range d.alive {
		if id != d.self.ID {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, cluster.ByName)
	return list
}

// Owner implements cluster.Directory.
func (d *Directory) Owner(ctx context.Context, hub string) (cluster.Owner, error) {
	d.mu.Lock()
	c, hit := d.cache[hub]
	if hit {
		// An owner that is no longer alive is asked for again at once.
		_, alive := d.alive[c.owner.Node.ID]
		hit = alive && time.Now().Before(c.until)
	}
	d.mu.Unlock()
	if hit {
		return c.owner, nil
	}
	for {
		if err := d.certain(); err != nil {
			return cluster.Owner{}, err
		}
		owner, err := d.ask(ctx, hub)
		if err == nil || errors.Is(err, cluster.ErrNoOwner) {
			return owner, err
		}
		if pauseFor(ctx, retryEvery) != nil { // a new leader takes some seconds
			return owner, err
		}
	}
}

// ask reads the owner of a hub from the directory.
func (d *Directory) ask(ctx context.Context, hub string) (cluster.Owner, error) {
	b, key := d.place(hub)
	m, ok, err := b.last(ctx, key)
	if err != nil {
		return cluster.Owner{}, unreachableError(err)
	}
	if !ok {
		return cluster.Owner{}, cluster.ErrNoOwner
	}
	owner := cluster.Owner{Epoch: cluster.Epoch(m.Sequence)}
	var rec record
	if len(m.Data) == 0 || json.Unmarshal(m.Data, &rec) != nil { // it was given back
		return owner, cluster.ErrNoOwner
	}
	if owner.Node, ok, err = d.node(ctx, rec.Node); err != nil {
		return cluster.Owner{}, err
	} else if !ok {
		return owner, cluster.ErrNoOwner
	}
	d.remember(hub, owner)
	return owner, nil
}

// unreachableError is an error of NATS, as callers may tell it.
func unreachableError(err error) error { return fmt.Errorf("%w (%w)", cluster.ErrUncertain, err) }

// remember keeps an owner for Owner. When there are too many, all are forgotten: the next
// requests ask again.
func (d *Directory) remember(hub string, owner cluster.Owner) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.cache) >= cachedHubs {
		clear(d.cache)
	}
	d.cache[hub] = cached{owner, time.Now().Add(cachedFor)}
}

// Forget implements cluster.Directory.
func (d *Directory) Forget(hub string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.cache, hub)
}

// certainLocked fails when the lease of this node may be over by the clock of others:
// it was not renewed for four fifths of it.
func (d *Directory) certainLocked() error {
	switch {
	case d.closed:
		return cluster.ErrClosed
	case time.Since(d.renewed) > d.o.Lease*4/5:
		return cluster.ErrUncertain
	}
	return nil
}

// certain is certainLocked for callers without the lock.
func (d *Directory) certain() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.certainLocked()
}
