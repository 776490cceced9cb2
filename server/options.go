package server

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/relay/quota"
)

// Options say what a server does. The zero value serves Clients on
// 127.0.0.1:9222 and Hosts on 127.0.0.1:9223, without tokens and without
// browsers of its own. Errors name the field that is wrong.
type Options struct {
	// ClientAddr and HostAddr are where the server listens for Clients and for
	// Hosts; when both are the same address, one listener serves both. AdminAddr
	// is for operators; empty: there is no such listener. It is unix:PATH, a socket
	// of this user alone, or an address at which an admin token is wanted.
	ClientAddr, HostAddr, AdminAddr string

	// Listeners are open already and used in place of the addresses.
	Listeners Listeners

	// NoListeners opens none: the program serves Handler itself.
	NoListeners bool

	// InsecureBind lets the server listen beyond loopback without tokens.
	InsecureBind bool

	TLS    TLS    // of every listener
	Tokens Tokens // who is let in

	AllowedHosts  []string // names, beside IP addresses and localhost, that a Host header may carry
	ClientOrigins []string // origins whose pages may be Clients
	HostOrigins   []string // origins, beside those on loopback, whose pages may be Hosts
	BaseDomain    string   // hub NAME is served at NAME.BaseDomain too
	PublicURL     string   // where people reach the listener of Clients, for links to it and addresses in answers; empty: at its address

	// HandoffByLink lets everybody open a handoff who has its link. Otherwise, on a server with
	// tokens, it needs a token other than the one that has asked for the handoff.
	HandoffByLink bool

	// PageSockets says whether /json/list names the page socket of each target,
	// /devtools/page/ID, or the browser's; nil: the page socket for pages of a
	// browser, the browser's for frames. Both are always served.
	PageSockets *bool

	DevTools http.Handler // the front end for people, at /devtools/ui/, such as OpenDevTools; nil: there is none
	// UI says whether the listener of Clients serves the dashboard; nil: where it
	// is on loopback alone.
	UI *bool
	// TakeoverWait is how long commands that act on a page wait while a person has
	// taken it over; 0: they are refused at once.
	TakeoverWait time.Duration

	UploadDir   string        // from which Clients may upload files by path; empty: none
	DownloadDir string        // below which Clients may have files saved that frames download; empty: none
	Drain       time.Duration // how long commands in flight may take at the end, 10 s

	Limits   Limits
	Actions  Actions
	Network  Network
	Timeline Timeline
	Browsers *Browsers // behind the hubs; nil: none
	PageHost bool      // a page may be a Host beside a browser without a Host token
	App      *App      // behind the proxy; nil: none
	Cluster  *Cluster  // of servers that serve the same hubs; nil: this one is alone

	Log        *zap.Logger            // nothing is logged when nil
	LogLevel   http.Handler           // of /log-level for operators; nil: there is none
	Collectors []prometheus.Collector // for /metrics, beside those of the server

	// OnState is called when the state of the server changes, one call at a
	// time. It may be nil.
	OnState func(State)

	// Tests alone set what follows.
	rates  *rates // of request bodies
	totals map[quota.Resource]int64
}

// rates say how fast request bodies must come, to the hub and to the app.
type rates struct{ own, app httpserver.BodyRate }

// State is what a server does.
type State string

// The states of a server.
const (
	Ready     State = "ready"     // it takes connections
	Reloading State = "reloading" // it reads its files again; Ready follows
	Stopping  State = "stopping"  // it drains
)

// Listeners are open listeners. Nil ones are opened at their address.
type Listeners struct{ Clients, Hosts, Admin net.Listener }

// Tokens say who may connect. With any of them everybody needs one. The zero
// value lets everybody in who can reach the address.
type Tokens struct {
	Client         string   // of Clients, for every hub with scope full; of 16 characters or more
	Host           string   // of Hosts, for every hub
	Admin          string   // of the listener for operators
	File           string   // a YAML file of tokens and of revoked ids, read again when it changes
	JWTKeys        []string // files of keys that signed tokens are good by
	NoURLs         bool     // take no ?token= of a URL
	TrustedProxies []string // addresses or CIDRs whose X-Forwarded-For says where requests come from
}

// Limits bound what peers may use. Zero fields take the default; there is no
// way to say "unlimited".
type Limits struct {
	MaxClientMessage int64 // bytes of a message from a Client, 100 MiB
	MaxHostMessage   int64 // bytes of a message from a Host, 256 MiB
	MaxClientQueue   int64 // bytes that wait to be written to one Client, 32 MiB
	MaxHostQueue     int64 // bytes that wait to be written to one Host, 64 MiB
	MaxClientQueued  int   // messages that wait to be written to one Client, 32768
	MaxHostQueued    int   // messages that wait to be written to one Host, 1048576

	MaxConnections    int // of one address to one listener, 4096
	MaxClients        int // of one hub, 1024
	MaxSessions       int // of all Clients of one hub, 65536, or MaxClientSessions if that is more
	MaxClientSessions int // of one Client, 8192
	MaxClientCalls    int // commands of one Client without an answer, 4096
	MaxCalls          int // commands of all Clients of one hub without an answer, 65536
	MaxLinks          int // connections of `cdphub connect` with one token, 256; without tokens, of one address

	PingEvery      time.Duration // a silent peer is asked whether it is there, 25 s
	PongWithin     time.Duration // a Host must answer, and the system of a Client must acknowledge what is sent, 10 s
	MessageTimeout time.Duration // one message of a Host may take to come in, 60 s
	WriteTimeout   time.Duration // a Host may take nothing of what is written to it, 10 s
	LinkGrace      time.Duration // a lost link of `cdphub connect` is kept, 2 min
	HostGrace      time.Duration // a lost Host may take to come back to its targets and their sessions, 30 s

	NamedGrace  time.Duration // the longest that a named session stays without a connection, 30 min
	MaxNamed    int           // named sessions of one token at one hub, 16
	NamedMemory int64         // bytes of messages that one of them keeps, 8 MiB

	MemoryBudget int64 // bytes that all queues and large messages may hold; 75 % of what the process may use
	Compression  bool  // compress large messages to peers that offer it (permessage-deflate, RFC 7692)
}

// Actions say how the action APIs are served. Zero fields take the default.
type Actions struct {
	Off bool // serve CDP alone

	HookScopes []string // what browser hooks may do without a token that says it: browser:read, browser:write, browser:eval; the first two
	EvalAllow  []string // origins in whose pages browser.eval may run scripts; * is all
	EvalDeny   []string // origins where it may not, even if allowed or agreed to

	// EvalAsk is asked about all other origins. The caller is named by the hash
	// of its token. Nil: they are refused.
	EvalAsk func(ctx context.Context, caller, origin string) (allow bool, err error)

	RequestRate    int // requests in a second of one connection, or over HTTP of one token, 50
	ScreenshotRate int // screenshots in a minute, of the same, 30

	BAPConnections int   // of the Browser Agent Protocol, from one address, 10
	BAPPages       int   // that one client of it opens, 10
	BAPMessage     int64 // bytes of one of its messages, 10 MiB; never above Limits.MaxClientMessage
	BrowserConfig  bool  // browser_config.update may set mode and headless of a hub's browser for its next start; with tokens, of scope full
	BAPAllPages    bool  // its clients see all pages of the hub, not only those that they open; always with an App

	MaxSandboxes int           // at a time, 64
	SandboxIdle  time.Duration // how long one without a connection lasts, 30 min
}

// Network says which pages browsers may show and actions may open. Entries are
// a name, *.name, an IP address or a block such as 10.0.0.0/8.
type Network struct {
	Allow  []string // hosts of pages; all when empty
	Block  []string // hosts that are refused, also by a name that leads to their address
	Public bool     // refuse addresses that are not of the public Internet
}

// Browsers say which hubs have a browser, and which one. Zero fields take the default.
type Browsers struct {
	// Chrome says which Chromium is launched, or connected to. The server sets Network and Fence.
	Chrome chrome.Options

	// Run serves browsers of another kind in place of Chrome: it keeps one at
	// the hub until ctx ends, and calls ready whenever one is there. It returns
	// early when there is none to be had.
	Run func(ctx context.Context, hub bridge.Hub, ready func()) error

	// Hubs are those that have a browser: names, or patterns such as "sandbox-*" (package path);
	// "/" is the hub without a name. Nil stands for every hub, or for the hub without a name
	// alone when Chrome.URL is set.
	Hubs []string
	// Undivided has all who may use a hub use one browser. Otherwise each share of tokens has
	// a browser of its own. A browser of Chrome.URL cannot be divided.
	Undivided bool

	// Profiles is a folder that has one folder for each hub, and for each share of a hub, with
	// the user data of its browser, which stays when the browser ends; "" keeps none. Sandboxes
	// have none there. It cannot be set beside Chrome.Profile or Chrome.URL.
	Profiles string

	Max   int           // browsers at a time, 8; 1 with a profile that is kept
	Idle  time.Duration // how long one outlives the last user of its hub, 5 min
	Queue time.Duration // how long a user waits for a browser while Max of them are in use; 0: not at all
}

// Timeline says what is kept of what happens on targets. Zero fields take the default.
type Timeline struct {
	On         bool
	Size       int64         // bytes of one target in memory, 2 MiB
	Time       time.Duration // for which it is kept in memory, 30 min
	Record     string        // the folder to which all of it is written; empty: none
	RecordSize int64         // bytes of all recordings in it, 1 GiB
	RecordText bool          // with the bodies of responses
}

// withDefaults fills in what the caller left out.
func (o Options) withDefaults() Options {
	o.ClientAddr = cmp.Or(o.ClientAddr, "127.0.0.1:9222")
	o.HostAddr = cmp.Or(o.HostAddr, "127.0.0.1:9223")
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.OnState == nil {
		o.OnState = func(State) {}
	}
	if o.rates == nil {
		o.rates = &rates{httpserver.OwnRate, httpserver.AppRate}
	}
	o.Limits.MaxLinks = cmp.Or(o.Limits.MaxLinks, 256)
	o.Limits.LinkGrace = cmp.Or(o.Limits.LinkGrace, 2*time.Minute)
	a := &o.Actions
	if a.HookScopes == nil {
		a.HookScopes = []string{"browser:read", "browser:write"}
	}
	a.BAPConnections = cmp.Or(a.BAPConnections, 10)
	a.BAPMessage = cmp.Or(a.BAPMessage, actions.MaxRequest)
	a.MaxSandboxes = cmp.Or(a.MaxSandboxes, 64)
	a.SandboxIdle = cmp.Or(a.SandboxIdle, 30*time.Minute)
	return o
}
