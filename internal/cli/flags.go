package cli

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/logging"
	"github.com/cdphub/cdphub/server"
)

// hubFlags are the options of a hub, for every command that runs one.
type hubFlags struct {
	accessFlags
	ClientAddr   string        `help:"Address to listen on for Clients." default:"127.0.0.1:9222" env:"CDPHUB_CLIENT_ADDR" basic:""`
	HostAddr     string        `help:"Address to listen on for Hosts. It may be the same as --client-addr." default:"127.0.0.1:9223" env:"CDPHUB_HOST_ADDR" basic:""`
	AllowedHost  []string      `help:"Host name that the Host header of a request may have. IP addresses and localhost are always allowed." env:"CDPHUB_ALLOWED_HOST"`
	ClientOrigin []string      `help:"Origin whose pages may be Clients. Default: no page may be a Client." env:"CDPHUB_CLIENT_ORIGIN"`
	HostOrigin   []string      `help:"Origin whose pages may be Hosts. Origins on loopback are always allowed." env:"CDPHUB_HOST_ORIGIN"`
	BaseDomain   string        `help:"Domain below which each hub has a host name: hub NAME is also served at NAME.DOMAIN." env:"CDPHUB_BASE_DOMAIN"`
	PublicURL    httpURL       `help:"URL at which people reach the hub's listener for Clients, such as that of a reverse proxy, with the path that the proxy takes off. Requests may name its host. The links of handoffs have it, and the addresses in answers to requests that name its host. Without it, links have the listener's own address, or that of the trusted proxy that the asking Client uses." env:"CDPHUB_PUBLIC_URL" placeholder:"URL"`
	HandoffOpen  string        `help:"What opens the link of a handoff on a hub with tokens: token needs, in addition to the link, a token for the hub that is not the one that has asked for the handoff; link needs no token, so that the agent could open its own link." enum:"token,link" default:"token" env:"CDPHUB_HANDOFF_OPEN"`
	PageSockets  *bool         `help:"Name the page socket of each target (/devtools/page/ID) in /json/list; with --page-sockets=false, the browser's socket. If it is not set, the list names the page socket for pages of a browser, and the browser's socket for frames." env:"CDPHUB_PAGE_SOCKETS"`
	Devtools     frontEnd      `help:"Zip file of the DevTools front end that people open at /devtools/ui/, as make devtools packs it. Default: the front end in the program, which releases contain." env:"CDPHUB_DEVTOOLS" placeholder:"FILE"`
	Takeover     string        `help:"What happens to commands that act on a page while a person has taken it over in the dashboard: refuse answers them at once, wait keeps them for up to 30 s." enum:"refuse,wait" default:"refuse" env:"CDPHUB_TAKEOVER"`
	UI           *bool         `name:"ui" help:"Serve the dashboard and its API at the address for Clients; with --ui=false, a simple home page. If it is not set, the dashboard is served where the address is on loopback." env:"CDPHUB_UI" basic:""`
	UploadDir    string        `help:"Directory from which Clients may upload files by path. Without it, uploads by path are refused." env:"CDPHUB_UPLOAD_DIR" placeholder:"DIR" access:"read"`
	DownloadDir  string        `help:"Directory for the downloads of frames. Each Client names a folder in it by Browser.setDownloadBehavior. Without this option, Clients fetch these files from the hub (GET /downloads)." env:"CDPHUB_DOWNLOAD_DIR" placeholder:"DIR"`
	InsecureBind bool          `help:"Listen beyond loopback without tokens. Anybody who reaches the port may then drive every app and offer targets." env:"CDPHUB_INSECURE_BIND"`
	Drain        time.Duration `help:"Time that commands in flight may take when the hub shuts down." default:"10s" env:"CDPHUB_DRAIN"`

	limitFlags
	actionFlags
	sandboxFlags
	timelineFlags
}

// takeoverWaits are how long commands wait for a page to be handed back, by the value
// of --takeover.
var takeoverWaits = map[string]time.Duration{"refuse": 0, "wait": 30 * time.Second}

// accessFlags say who may connect. With any of the tokens every peer needs one.
type accessFlags struct {
	ClientToken  string   `help:"Token for Clients, valid for every hub with scope full. 16 characters or more." env:"CDPHUB_CLIENT_TOKEN" placeholder:"TOKEN" basic:""`
	HostToken    string   `help:"Token for Hosts, valid for every hub." env:"CDPHUB_HOST_TOKEN" placeholder:"TOKEN" basic:""`
	Tokens       string   `help:"YAML file of tokens and of revoked ids (see cdphub token new). It is read again when it changes and at SIGHUP." env:"CDPHUB_TOKENS" placeholder:"FILE" basic:""`
	JWTKey       []string `help:"Key that verifies signed tokens: an Ed25519 public key in PEM, a JWK set, or a secret. The file is read again when it changes and at SIGHUP." name:"jwt-key" env:"CDPHUB_JWT_KEY" placeholder:"FILE"`
	URLToken     bool     `help:"Also accept a token in the URL, as ?token=TOKEN." name:"url-token" default:"true" negatable:"" env:"CDPHUB_URL_TOKEN" needs:"client-token,host-token,tokens,jwt-key"`
	TrustedProxy []string `help:"Address or CIDR of a reverse proxy whose headers X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Prefix and Forwarded the hub trusts." env:"CDPHUB_TRUSTED_PROXY" placeholder:"CIDR"`
}

// actionFlags are the options of the action APIs.
type actionFlags struct {
	Actions bool `help:"Serve the action APIs in addition to CDP: NDJSON, browser.*, browser hooks, BAP, MCP." default:"true" negatable:"" env:"CDPHUB_ACTIONS" group:"Actions:"`

	HookScope []string `name:"hook-scope" help:"What browser hooks may do: browser:read, browser:write, browser:eval. If a token names scopes for hooks, these apply instead. Hooks with a token of scope readonly may only read." default:"browser:read,browser:write" env:"CDPHUB_HOOK_SCOPE" needs:"actions" group:"Actions:"`
	EvalAllow []string `name:"eval-allow" help:"Origin in whose pages browser.eval may run scripts; * allows all origins." env:"CDPHUB_EVAL_ALLOW" placeholder:"ORIGIN" needs:"hook-scope=browser:eval,tokens,jwt-key" group:"Actions:"`
	EvalDeny  []string `name:"eval-deny" help:"Origin in whose pages browser.eval may never run scripts. It overrides --eval-allow and --eval-ask." env:"CDPHUB_EVAL_DENY" placeholder:"ORIGIN" needs:"hook-scope=browser:eval,tokens,jwt-key" group:"Actions:"`
	EvalAsk   httpURL  `name:"eval-ask" help:"URL that decides about all other origins. The hub sends POST {\"caller\",\"origin\"} and expects {\"allow\":true} within 60 s. Without it, other origins are refused." env:"CDPHUB_EVAL_ASK" placeholder:"URL" needs:"hook-scope=browser:eval,tokens,jwt-key" group:"Actions:"`

	BAPConnections positiveInt `name:"bap-connections" help:"Maximum connections of the Browser Agent Protocol from one address." default:"10" env:"CDPHUB_BAP_CONNECTIONS" needs:"actions" group:"Actions:"`
	BAPMessage     byteSize    `name:"bap-max-message" help:"Largest message from a client of the Browser Agent Protocol. --max-client-message also applies to these messages." default:"10MiB" env:"CDPHUB_BAP_MAX_MESSAGE" needs:"actions" group:"Actions:"`
	BAPAllPages    bool        `name:"bap-all-pages" help:"Show all pages of the hub to clients of the Browser Agent Protocol. Without this option each client sees only the pages that it opens; a client with scope readonly, which cannot open pages, sees all. cdphub open, proxy and demo always show all pages." env:"CDPHUB_BAP_ALL_PAGES" needs:"actions" group:"Actions:"`

	BrowserConfig bool `name:"browser-config" help:"Let browser_config.update choose whether the browser of its hub shows windows, and whether it is the one that is found on this machine, from its next start. With tokens this needs scope full." env:"CDPHUB_BROWSER_CONFIG" needs:"actions" group:"Actions:"`

	urlFlags
	rateFlags
}

// rateFlags say how much may be asked of an action API.
type rateFlags struct {
	ActionRate     positiveInt `help:"Maximum requests to an action API per second and connection, or per second and token over HTTP." default:"50" env:"CDPHUB_ACTION_RATE" needs:"actions" group:"Actions:"`
	ScreenshotRate positiveInt `help:"Maximum screenshots per minute and connection, or per minute and token over HTTP." default:"30" env:"CDPHUB_SCREENSHOT_RATE" needs:"actions" group:"Actions:"`
}

// urlFlags say which pages there may be.
type urlFlags struct {
	AllowURL   []string `name:"allow-url" help:"Host whose pages browsers may show and actions may open: a name, *.name, an IP address, or a block such as 10.0.0.0/8. Default: all hosts." env:"CDPHUB_ALLOW_URL" placeholder:"HOST" group:"Network:"`
	BlockURL   []string `name:"block-url" help:"Host whose pages browsers may not show and actions may not open, even under another name that resolves to its address." env:"CDPHUB_BLOCK_URL" placeholder:"HOST" group:"Network:"`
	PublicURLs bool     `name:"public-urls" help:"Refuse pages of loopback addresses, private networks, and all other addresses that are not of the public Internet." env:"CDPHUB_PUBLIC_URLS" group:"Network:"`
}

func (f urlFlags) options() server.Network {
	return server.Network{Allow: f.AllowURL, Block: f.BlockURL, Public: f.PublicURLs}
}

// sandboxFlags are the options of sandboxes.
type sandboxFlags struct {
	MaxSandboxes positiveInt      `help:"Maximum sandboxes that exist at the same time." default:"64" env:"CDPHUB_MAX_SANDBOXES" needs:"actions" group:"Actions:"`
	SandboxIdle  positiveDuration `help:"Time after which a sandbox without a connection ends." default:"30m" env:"CDPHUB_SANDBOX_IDLE" needs:"actions" group:"Actions:"`
}

// operationFlags are the options of a hub that runs unattended.
type operationFlags struct {
	AdminAddr  string `help:"Address to listen on for operators: /metrics, /livez, /readyz, /hubs, /log-level, /debug/pprof. It is unix:PATH, a Unix socket that only this user can open, or a host and a port, which need an admin token." placeholder:"ADDR" env:"CDPHUB_ADMIN_ADDR" basic:""`
	AdminToken string `help:"Token for the listener of operators, if --admin-addr is a host and a port." env:"CDPHUB_ADMIN_TOKEN" placeholder:"TOKEN"`
	TLSCert    string `help:"Certificate chain in PEM. With this option, every listener uses TLS. The file is read again when it changes and at SIGHUP." name:"tls-cert" placeholder:"FILE" env:"CDPHUB_TLS_CERT" needs:"tls-key" basic:""`
	TLSKey     string `help:"Private key of --tls-cert, in PEM." name:"tls-key" placeholder:"FILE" env:"CDPHUB_TLS_KEY" needs:"tls-cert" basic:""`
	TLSMin     string `help:"Oldest version of TLS that is accepted: 1.2 or 1.3." name:"tls-min" enum:"1.2,1.3" default:"1.3" env:"CDPHUB_TLS_MIN" needs:"tls-cert"`
}

func (f operationFlags) tls() server.TLS {
	t := server.TLS{CertFile: f.TLSCert, KeyFile: f.TLSKey}
	if f.TLSMin == "1.2" {
		t.Min = tls.VersionTLS12
	}
	return t
}

// logFlags say what is logged.
type logFlags struct {
	LogLevel string `help:"Lowest level of log lines: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"CDPHUB_LOG_LEVEL" basic:""`
	LogJSON  bool   `name:"log-json" help:"Write log lines as JSON even on a terminal." env:"CDPHUB_LOG_JSON"`
}

func (f logFlags) open(w io.Writer) (*logging.Log, error) {
	return logging.Open(w, logging.Options{Level: f.LogLevel, JSON: f.LogJSON})
}

// options are the options of a server that logs to l.
func (f hubFlags) options(l *logging.Log) server.Options {
	o := server.Options{
		ClientAddr: f.ClientAddr, HostAddr: f.HostAddr, InsecureBind: f.InsecureBind,
		Tokens: server.Tokens{
			Client: f.ClientToken, Host: f.HostToken, File: f.Tokens, JWTKeys: f.JWTKey,
			NoURLs: !f.URLToken, TrustedProxies: f.TrustedProxy,
		},
		AllowedHosts: f.AllowedHost, ClientOrigins: f.ClientOrigin, HostOrigins: f.HostOrigin, BaseDomain: f.BaseDomain, PublicURL: string(f.PublicURL),
		HandoffByLink: f.HandoffOpen == "link",
		PageSockets:   f.PageSockets, UI: f.UI, TakeoverWait: takeoverWaits[f.Takeover], DevTools: f.Devtools.open(), UploadDir: f.UploadDir, DownloadDir: f.DownloadDir, Drain: f.Drain,
		Limits:  f.limitFlags.options(),
		Network: f.urlFlags.options(), Timeline: f.timelineFlags.options(),
		Actions: server.Actions{
			Off: !f.Actions, HookScopes: f.HookScope, EvalAllow: f.EvalAllow, EvalDeny: f.EvalDeny,
			RequestRate: int(f.ActionRate), ScreenshotRate: int(f.ScreenshotRate), BAPConnections: int(f.BAPConnections),
			BAPMessage: int64(f.BAPMessage), BAPAllPages: f.BAPAllPages, BrowserConfig: f.BrowserConfig,
			MaxSandboxes: int(f.MaxSandboxes), SandboxIdle: time.Duration(f.SandboxIdle),
		},
		Log: l.Logger, LogLevel: l.Level, Collectors: droppedLines(l),
	}
	if f.EvalAsk != "" {
		o.Actions.EvalAsk = server.AskURL(string(f.EvalAsk))
	}
	return o
}

// httpURL is a URL of http or https.
type httpURL string

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *httpURL) UnmarshalText(text []byte) error {
	at, err := url.Parse(string(text))
	if len(text) > 0 && (err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "") {
		return fmt.Errorf("%q is not the URL of a server: set one such as https://hub.example", text)
	}
	*u = httpURL(text)
	return nil
}

// frontEnd is the DevTools front end that an option names.
type frontEnd struct{ named http.Handler }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *frontEnd) UnmarshalText(file []byte) (err error) {
	f.named, err = server.OpenDevTools(string(file))
	return err
}

// open is the front end named, or that in the program.
func (f frontEnd) open() http.Handler {
	if f.named != nil {
		return f.named
	}
	own, err := server.OpenDevTools("")
	if err != nil {
		panic(err) // it is part of the program
	}
	return own
}

// droppedLines are the metrics of the lines that a log has left out.
func droppedLines(l *logging.Log) []prometheus.Collector {
	counter := func(why string, count func() uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "cdphub_log_lines_left_out_total",
			Help:        "Log lines left out, because too many of a kind came (rate) or nobody read the log (sink).",
			ConstLabels: prometheus.Labels{"why": why},
		}, func() float64 { return float64(count()) })
	}
	return []prometheus.Collector{counter("rate", l.DroppedByRate), counter("sink", l.DroppedBySink)}
}

// quietLog raises the level of a log from info to warn.
func quietLog(l *logging.Log) *logging.Log {
	q := *l
	q.Logger = l.WithOptions(zap.IncreaseLevel(zap.WarnLevel))
	return &q
}
