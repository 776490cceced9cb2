package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/relay"
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
