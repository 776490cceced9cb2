package cli

import "github.com/cdphub/cdphub/internal/optionname"

// flagNames are the flags that set fields of Options, by which the texts of libraries call
// the fields here.
var flagNames = map[string]string{
	"chrome.Options.NoSandbox":     "--browser-no-sandbox",
	"chrome.Options.Path":          "--browser-path",
	"server.Browsers.Profiles":     "--browser-profiles",
	"chrome.Options.Profile":       "--browser-profile",
	"chrome.Options.URL":           "--browser-url",
	"server.Actions.EvalAllow":     "--eval-allow",
	"server.Actions.EvalAsk":       "--eval-ask",
	"server.Actions.EvalDeny":      "--eval-deny",
	"server.Actions.HookScopes":    "--hook-scope",
	"server.App.Addr":              "--app-addr",
	"server.Browsers.Hubs":         "--browser-hub",
	"server.Browsers.Undivided":    "--browser-share=hub",
	"server.Network.Allow":         "--allow-url",
	"server.Network.Block":         "--block-url",
	"server.Options.AdminAddr":     "--admin-addr",
	"server.Options.AllowedHosts":  "--allowed-host",
	"server.Options.BaseDomain":    "--base-domain",
	"server.Options.ClientAddr":    "--client-addr",
	"server.Options.ClientOrigins": "--client-origin",
	"server.Options.HostAddr":      "--host-addr",
	"server.Options.HostOrigins":   "--host-origin",
	"server.Options.InsecureBind":  "--insecure-bind",
	"server.TLS.CertFile":          "--tls-cert",
	"server.TLS.KeyFile":           "--tls-key",
	"server.Timeline.Record":       "--record",
	"server.Timeline.RecordSize":   "--record-size",
	"server.Tokens.Admin":          "--admin-token",
	"server.Tokens.Client":         "--client-token",
	"server.Tokens.File":           "--tokens",
	"server.Tokens.Host":           "--host-token",
	"server.Tokens.JWTKeys":        "--jwt-key",
	"server.Tokens.TrustedProxies": "--trusted-proxy",
	"server.Options.PublicURL":     "--public-url",
}

func init() { optionname.Use(flagNames) }
