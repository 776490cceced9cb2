package jsonrpc

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/cdphub/cdphub/actions"
)

// readConfig is the configuration of the browser, which the operator runs:
//
//	{"browser":{"mode":{"type":"connect","endpoint":"ws://…"},"headless":false,"cdp_port":9222}}
func readConfig(_ context.Context, c *call) (any, error) { return configOf(c), nil }

func configOf(c *call) map[string]any {
	port := 0
	if at, err := url.Parse(c.caller.Endpoint); err == nil {
		port, _ = strconv.Atoi(at.Port()) // none: 0
	}
	return map[string]any{"browser": map[string]any{
		"mode": map[string]any{"type": "connect", "endpoint": c.caller.Endpoint}, "headless": false, "cdp_port": port,
	}}
}

// updateConfig answers an update with the configuration, if the update asks for nothing
// else than what is so already. The hub's browsers are not configured from here:
// everything that would change something is refused.
func updateConfig(_ context.Context, c *call) (any, error) {
	is := configOf(c)
	if err := requireAgreement(c.Params, is, ""); err != nil {
		return nil, err
	}
	return is, c.Err()
}

// requireAgreement refuses the first member whose value is not that of the configuration. path
// is that of the object, for the message.
func requireAgreement(given *actions.Params, is map[string]any, path string) error {
	for _, name := range given.Names() {
		was, known := is[name]
		if in, nested := was.(map[string]any); nested {
			if err := requireAgreement(given.Object(name), in, path+name+"."); err != nil {
				return err
			}
			continue
		}
		if !known || given.Scalar(name) != fmt.Sprint(was) {
			return newFailure(actions.PermissionDenied, "permission denied: `%s%s` is not changed from here: the options of cdphub serve set up the hub's browser", path, name)
		}
	}
	return given.Err()
}
