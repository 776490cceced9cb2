package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/cdphub/cdphub/actions/bap"
	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/targets"
)

// discoveryOptions serve /json/new, /json/activate and /json/close by the CDP
// commands that stand for them, Target.createTarget, activateTarget and closeTarget.
// So the policy of the asker applies to them.
func discoveryOptions(hub *relay.Hub, prefix string, asker relay.ClientOptions) httpdiscovery.Options {
	return httpdiscovery.Options{
		Prefix: prefix,
		New: func(ctx context.Context, url string) (targets.Info, error) {
			var made struct{ TargetID string }
			if err := callHub(ctx, hub, asker, "Target.createTarget", map[string]string{"url": url}, &made); err != nil {
				return targets.Info{}, err
			}
			// The hub lists a target before the answer of the command that creates
			// it.
			if t, ok := hub.Target(asker.Policy, made.TargetID); ok {
				return t, nil
			}
			return targets.Info{}, fmt.Errorf("the new target %q has gone", made.TargetID)
		},
		Activate: func(ctx context.Context, id string) error {
			return callHub(ctx, hub, asker, "Target.activateTarget", map[string]string{"targetId": id}, nil)
		},
		Close: func(ctx context.Context, id string) error {
			return callHub(ctx, hub, asker, "Target.closeTarget", map[string]string{"targetId": id}, nil)
		},
	}
}

// callHub sends one browser-level command, as a Client of the asker. It decodes
// the result, unless result is nil. An error of CDP is returned by its text.
func callHub(ctx context.Context, hub *relay.Hub, asker relay.ClientOptions, method string, params, result any) error {
	l, err := hub.JoinLocal(relay.LocalOptions{ClientOptions: asker})
	if err != nil {
		return err
	}
	defer l.Leave()
	in, err := json.Marshal(params)
	if err != nil {
		return err
	}
	out, err := l.Call(ctx, "", method, in)
	// The text has no code: /json/… answers with the words alone.
	if e, ok := errors.AsType[*relay.Error](err); ok {
		return errors.New(e.Full())
	}
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(out, result)
}

func (s *Server) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	defer release()
	pass := auth.PassOf(r)
	p := front.PolicyOf(pass)
	o := discoveryOptions(hub, front.RouteOf(r).Prefix, relay.ClientOptions{Policy: p, Account: pass.Account(), Payer: pass.Payer()})
	o.PageSockets = s.o.PageSockets
	o.Query = socketQuery(r, pass)
	o.FrontEnd = s.o.DevTools != nil
	o.Ticket, o.TicketPrefix = func(target string) string { return s.ticket(r, target) }, front.RouteOf(r).KeyPrefix()
	if p != nil {
		o.Refuse = p.Refuse
	}
	httpdiscovery.Handler(visible{hub, p}, o).ServeHTTP(w, r)
}

// visible is a hub with the Targets, and the numbers, that a policy lets its Clients see.
type visible struct {
	*relay.Hub
	policy relay.Policy
}

// Targets implements httpdiscovery.Source.
func (v visible) Targets() []targets.Info { return v.Hub.Targets(v.policy) }

// Clients implements httpdiscovery.Source.
func (v visible) Clients() int {
	n, _ := v.Counts(v.policy)
	return n
}

// serveHealth answers everybody, without a token. It makes no hub and starts no
// browser, or strangers could.
func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request) {
	at := front.RouteOf(r)
	o := httpdiscovery.Options{Prefix: at.Prefix}
	if !s.o.Actions.Off {
		o.Agents = bap.Version
	}
	hub, release := s.hubs.Peek(at.Hub)
	defer release()
	httpdiscovery.Handler(visible{hub, nil}, o).ServeHTTP(w, r)
}
