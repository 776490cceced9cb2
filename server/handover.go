package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// A node that ends hands its hubs with named sessions over to other nodes, one hub with
// one request:
//
//	POST /cluster/handover
//	{"host":{…},"named":{…}}   -> 204, and the hub is that node's
//
// The node that takes a hub claims it in the directory, and restores the sessions before
// it serves the hub. Their Clients and the Host page connect again, to whichever node.

const (
	handoverPath = "/cluster/handover"
	// maxHandover is what the sessions of a hub may keep in all, in bytes of JSON.
	maxHandover = 512 << 20
	// handoverWithin is how long it may take to hand all hubs over, once Clients are out
	// of time.
	handoverWithin = 5 * time.Second
	// handoversAtOnce is how many hubs are handed over at a time.
	handoversAtOnce = 8
)

// handover is the body of the request.
type handover struct {
	Host  relay.HubState `json:"host"`
	Named named.State    `json:"named"`
}

// errElsewhereNow says to the node that hands a hub over that it is another's.
var errElsewhereNow = errors.New("this hub has another owner now")

// handOver gives the hubs with named sessions to other nodes. It gives each hub as
// soon as no command is in flight there, or when patience has ended. wait returns
// when all are given. The whole takes handoverWithin longer than patience, at most.
func (s *Server) handOver(patience context.Context) (wait func()) {
	if s.cluster == nil {
		return func() {}
	}
	// drain gives it a deadline always.
	end, _ := patience.Deadline()
	ctx, cancel := context.WithDeadline(context.Background(), end.Add(handoverWithin))
	giver := giver{s, ctx, make(chan struct{}, handoversAtOnce), new(sync.Map)}
	var all sync.WaitGroup
	for _, hub := range s.named.Hubs() {
		all.Go(func() {
			h, release := s.hubs.Peek(hub)
			defer release()
			if s.hubs.Has(hub) {
				select {
				case <-h.Drained():
				case <-patience.Done():
				}
			}
			giver.give(hub, h)
		})
	}
	return func() {
		all.Wait()
		cancel()
	}
}

// giver hands hubs over.
type giver struct {
	*Server
	ctx   context.Context // ends when there is no more time
	turns chan struct{}
	bad   *sync.Map // ids of nodes that have failed
}

// give hands one hub to the first node that takes it, and sends its Hosts away. Where
// none takes it, the Hosts stay until membership.leave has given the claim back:
// before, no node could claim their hub.
func (g giver) give(name string, hub *relay.Hub) {
	g.turns <- struct{}{}
	defer func() { <-g.turns }()
	m := g.cluster
	epoch, hosts, held := m.letGo(name)
	if !held || isSandbox(name) { // a sandbox ends with its node
		return
	}
	// First the Hosts are parted, then the state is read: an event in between would
	// be lost with the old state.
	hub.Control().Part()
	body := handover{Host: hub.Control().State(), Named: g.named.Take(name)}
	if g.browsers.Has(name) {
		// What a browser of this node shows ends with this node.
		body.Named.Lose()
	}
	begun := time.Now()
	err := g.send(name, epoch, body)
	g.metrics.handedOver(len(body.Named.Sessions), time.Since(begun), err)
	if err != nil {
		g.log.Warn("the named sessions of a hub could not be handed over", zap.String("hub", name), zap.Int("sessions", len(body.Named.Sessions)), zap.Error(err))
		m.mu.Lock()
		m.leaving = append(m.leaving, hosts...) // until the hub is free
		m.mu.Unlock()
		return
	}
	for _, u := range hosts {
		u.end(wsconn.ReasonShutdown)
	}
}

// send offers a hub to one node after the other until one takes it. A node that has
// failed is not asked for later hubs. errElsewhereNow ends the search: the hub has a
// newer owner.
func (g giver) send(hub string, epoch cluster.Epoch, body handover) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	err = errors.New("there is no other node")
	for _, n := range g.cluster.others() {
		if _, failed := g.bad.Load(n.ID); failed {
			continue
		}
		status, failed := g.cluster.sendOrder(g.ctx, n, verdict{URI: handoverPath, Hub: hub, Epoch: epoch}, text)
		if status == http.StatusConflict {
			return errElsewhereNow
		}
		if err = failed; err == nil || g.ctx.Err() != nil {
			return err
		}
		g.bad.Store(n.ID, nil)
	}
	return err
}

// others are the nodes that can take hubs, in random order, so that the hubs of a
// node that ends are spread over all of them.
func (m *membership) others() (list []cluster.Node) {
	for _, n := range m.dir.Nodes() {
		if n.ID != m.id && !n.Draining {
			list = append(list, n)
		}
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// letGo takes a hub out of the hubs that this node serves. In the directory the claim
// stays, so that no third node takes the hub while it is handed over.
func (m *membership) letGo(hub string) (epoch cluster.Epoch, hosts []*hubUser, held bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.held[hub]
	if h == nil {
		return 0, nil, false
	}
	delete(m.held, hub)
	close(h.done)
	for u := range h.users {
		if u.host {
			hosts = append(hosts, u)
		}
	}
	return h.claim.Epoch(), hosts, true
}

// takeHandover answers POST /cluster/handover. 409 says that the hub is another
// node's already.
func (s *Server) takeHandover(w http.ResponseWriter, r *http.Request, v *verdict) {
	var body handover
	if !relay.ValidHub(v.Hub) {
		http.Error(w, errVerdictOthers.Error(), http.StatusForbidden)
		return
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHandover)).Decode(&body); err != nil {
		http.Error(w, "the hub could not be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	err := s.cluster.receive(r.Context(), v.Hub, v.Epoch, func() { s.adopt(v.Hub, body, movedTaken) })
	switch {
	case errors.Is(err, cluster.ErrTaken):
		http.Error(w, errElsewhereNow.Error(), http.StatusConflict)
	case err != nil:
		refuseCluster(w, err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// receive claims a hub that another node hands over. restore runs before it is served.
func (m *membership) receive(ctx context.Context, hub string, after cluster.Epoch, restore func()) error {
	lock := m.claimLock(hub)
	lock.Lock()
	defer lock.Unlock()
	if m.touch(hub) != nil {
		return cluster.ErrTaken
	}
	m.dir.Forget(hub)
	return m.takeWith(ctx, hub, after, restore)
}

// adopt restores what another node had of a hub. how is for the metrics.
func (s *Server) adopt(name string, from handover, how string) {
	hub, release, err := s.hubs.Acquire(name)
	if err != nil {
		s.log.Warn("a hub that another node handed over cannot continue", zap.String("hub", name), zap.Error(err))
		return
	}
	defer release()
	hub.Control().Restore(from.Host)
	s.named.Restore(name, from.Named, func(st *named.SessionState) (*named.Begin, error) { return s.beginAgain(name, st) })
	s.metrics.moved.WithLabelValues(how).Add(float64(len(from.Named.Sessions)))
	s.log.Info("a hub continues that another node handed over", zap.String("hub", name), zap.Int("sessions", len(from.Named.Sessions)))
}

// beginAgain restores what the connection of a named session brought to the node
// before: its rights and its place in the hub. Its errors reach the Client that asks
// for the session again.
func (s *Server) beginAgain(name string, st *named.SessionState) (*named.Begin, error) {
	var v auth.Verdict
	// The bearer of the verdict must be the one of the session. A comparison in
	// constant time tells nobody how much of the text is right.
	if err := json.Unmarshal(st.Verdict, &v); err != nil || subtle.ConstantTimeCompare([]byte(v.Bearer), []byte(st.Bearer)) == 0 {
		return nil, errors.New("its node has ended")
	}
	hub, release, err := s.hubs.Acquire(name)
	if err != nil {
		return nil, err
	}
	pass := s.gate.PassAgain(v)
	client, err := hub.Admit(relay.ClientOptions{Policy: policyOf(pass), Known: st.Client.Name, Account: pass.Account(), Payer: pass.Payer()})
	if err != nil {
		release()
		return nil, err
	}
	return s.begins(client, pass, name, release), nil
}

// begins is what a named session needs as long as it lasts. hold ends it with its
// sandbox or its token. In a cluster, the verdict goes with the session to its next
// node.
func (s *Server) begins(client *relay.Client, pass auth.Pass, hub string, release func()) *named.Begin {
	hold := func(end func(wsconn.Reason)) func() {
		apart := s.sandboxes.join(hub, func() { end(wsconn.ReasonDeleted) })
		letGo := s.gate.Hold(pass, func(why error) { end(tokenReason(why)) })
		return func() {
			letGo()
			apart()
		}
	}
	b := &named.Begin{Client: client, Payer: pass.Payer(), Tabs: pass.Owner, Release: release, Hold: hold}
	if s.cluster != nil {
		b.Verdict, _ = json.Marshal(s.gate.Lasting(pass)) //nolint:errchkjson // it was read from JSON
	}
	return b
}

// derive makes ids that are the same at each node, of the key that all nodes have and
// of parts. It is nil without a cluster, where random ids do. The text has 32
// hexadecimal digits in capitals, as ids of Chromium have.
func (c *Cluster) derive() func(parts ...string) string {
	if c == nil {
		return nil
	}
	return func(parts ...string) string {
		sum := hmac.New(sha256.New, c.Key)
		// %q keeps the parts apart: ["a" "b"] and ["a b"] give two ids.
		fmt.Fprintf(sum, "cdphub id %q", parts)
		return strings.ToUpper(hex.EncodeToString(sum.Sum(nil)[:16]))
	}
}
