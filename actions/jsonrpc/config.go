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
func readConfig(_ context.Context, c *call) (any, error) { return configOf(c, chosenConfig(c)), nil }

// chosenConfig is what has been chosen for the next start of the browser.
func chosenConfig(c *call) actions.BrowserConfig {
	if c.caller.Configs == nil {
		return actions.BrowserConfig{}
	}
	return c.caller.Configs.Of(c.caller.Hub)
}

func configOf(c *call, chosen actions.BrowserConfig) map[string]any {
	port := 0
	if at, err := url.Parse(c.caller.Endpoint); err == nil {
		port, _ = strconv.Atoi(at.Port()) // none: 0
	}
	mode := map[string]any{"type": "connect", "endpoint": c.caller.Endpoint}
	if chosen.Found {
		mode = map[string]any{"type": "auto"}
	}
	return map[string]any{"browser": map[string]any{
		"mode": mode, "headless": chosen.Headless == "true", "cdp_port": port,
	}}
}

// updateConfig answers an update with the configuration. It takes what is so already. If the
// operator allows it (Caller.Configs), it takes headless and the modes auto and connect for the
// next start of the hub's browser. Everything else is refused by its name, and then nothing is
// taken.
func updateConfig(_ context.Context, c *call) (any, error) {
	chosen := chosenConfig(c)
	is := configOf(c, chosen)
	if c.caller.Configs != nil && c.caller.PermitFull("browser_config.update") == nil {
		chooseConfig(c.Params, &chosen)
		is = configOf(c, chosen)
	}
	if err := requireAgreement(c.Params, is, ""); err != nil {
		return nil, err
	}
	if err := c.Err(); err != nil || c.caller.Configs == nil || chosen == chosenConfig(c) {
		return is, err
	}
	return is, c.caller.Configs.Set(c.caller.Hub, chosen)
}

// chooseConfig takes what may be chosen. What it does not take, requireAgreement refuses.
func chooseConfig(given *actions.Params, chosen *actions.BrowserConfig) {
	browser := given.Object("browser")
	was := strconv.FormatBool(chosen.Headless == "true")
	if v := browser.Scalar("headless"); v != was && (v == "true" || v == "false") {
		chosen.Headless = v
	}
	if kind := modeOf(browser); kind == "auto" || kind == "connect" {
		chosen.Found = kind == "auto"
	}
}

// modeOf is the mode that an update names, as {"type":"auto"} or, as in the configuration file of
// the protocol's own server, "auto"; "" for none.
func modeOf(browser *actions.Params) string {
	if text := browser.Scalar("mode"); text != "" || !browser.Has("mode") {
		return text
	}
	return browser.Object("mode").Scalar("type")
}

// requireAgreement refuses the first member whose value is not that of the configuration. path
// is that of the object, for the message.
func requireAgreement(given *actions.Params, is map[string]any, path string) error {
	for _, name := range given.Names() {
		was, known := is[name]
		in, nested := was.(map[string]any)
		text := given.Scalar(name)
		if nested && name == "mode" && text != "" {
			was, nested = in["type"], false
		}
		if nested {
			if err := requireAgreement(given.Object(name), in, path+name+"."); err != nil {
				return err
			}
			continue
		}
		if !known || text != fmt.Sprint(was) {
			return newFailure(actions.PermissionDenied, "permission denied: `%s%s` is not changed from here: the options of cdphub serve set up the hub's browser", path, name)
		}
	}
	return given.Err()
}
