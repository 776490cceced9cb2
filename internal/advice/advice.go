// Package advice has the messages of cdphub to those who cannot be served. Each says
// what is the case, and what to do now:
//
//	err := advice.NoPage.With("page", "http://localhost:8080/")
//	http.Error(w, err.Error(), http.StatusServiceUnavailable)
//
// Each state has one Entry here, and each Entry a place in docs/troubleshooting.md; a
// test compares both. The messages of pages are in web/src/wire/messages.ts.
package advice

import "strings"

// Entry is one state. Its texts may have places to fill in, such as {page}.
type Entry struct {
	State string // what is the case, without a full stop
	Do    string // what to do now
}

// What the hub tells Clients. {page} is the address of a page to open.
var (
	NoPage = Entry{
		"No page is open in this hub",
		"open {page} in a browser, or start cdphub with --browser",
	}
	PageAway = Entry{
		"The Host page has lost its connection, and the hub keeps its sessions for a while",
		"wait, or reload the page in its tab",
	}
	PageHangs = Entry{
		"The script of the Host page has not run for 10 s or more",
		"go to its tab and close what is open there, such as a dialog or a paused debugger, or reload it",
	}
	DocumentHangs = Entry{
		"The script of the document, or of the worker, has not run for 7 s or more",
		"navigate the page or reload it, or look at its tab: it may show a dialog of the browser or be at a breakpoint",
	}
	HostBusy = Entry{
		"The Host handles commands more slowly than they arrive",
		"wait for answers before sending more",
	}
	NoHook = Entry{
		"This Host page cannot open new pages",
		"give its Host the option createTarget, open {page} instead, or start cdphub with --browser",
	}
	NoBrowserHere = Entry{
		"This hub has no browser, only frames of a Host page",
		"start cdphub with --browser to have browser contexts and permissions",
	}
	OnlyUserOpens = Entry{
		"The user of this browser opens its tabs, and shares them one by one",
		"ask the user to share another tab, or start cdphub with --browser",
	}
	OnlySharedTabs = Entry{
		"This hub has no browser of its own, only tabs that a user shares",
		"start cdphub with --browser to have browser contexts and permissions",
	}
	Restarting = Entry{
		"The browser of this hub is being started again, and was not back within 10 s",
		"try again; the log of cdphub says why it ended",
	}
	BrowserEnded = Entry{
		"The browser of this hub has ended",
		"connect again, which starts a new one; the log of cdphub says why it ended",
	}
	ChromeSwitchedOff = Entry{
		"No Chrome of yours lets programs connect",
		"open chrome://inspect/#remote-debugging in it and tick Allow remote debugging for this browser instance",
	}
	ChromeAsks = Entry{
		"Your Chrome asks whether cdphub may connect",
		"press Allow in Chrome, once for all agents",
	}
	ChromeDenied = Entry{
		"Cancel was pressed in Chrome when it asked whether cdphub may connect",
		"connect again, and press Allow in Chrome",
	}
	TakenOver = Entry{
		"A person has taken over this page",
		"you can still read it; act again when it is handed back",
	}
	HandedOff = Entry{
		"A person is doing something on this page that others may not see",
		"wait until it is handed back",
	}
	BrowsersFull = Entry{
		"All browsers are in use",
		"try again later, allow more with --max-browsers, or a longer wait with --browser-queue",
	}
	ClusterFull = Entry{
		"All browsers that the nodes of the cluster may have together are in use",
		"try again later, allow more with --cluster-max-browsers, or a longer wait with --browser-queue",
	}
)

// PausedBy begins what the hub says while a person has a page. One of TakenOver and HandedOff follows.
func PausedBy(person string) string { return "paused: " + person + " has the page" }

// What the hub tells Clients of limits (package quota). {unit} is what there is a limit
// of, and {raise} an option that raises the limit, with the words before it.
var (
	PartInUse = Entry{
		"This token has {used} of {total} {unit} in use, which is its part while others need theirs",
		"close some{raise}",
	}
	LimitInUse = Entry{
		"This token has {used} {unit} in use, and its own limit is {total}",
		"close some, or have the operator raise the limit {name} in the token's entry or claims",
	}
	OneInUse = Entry{
		"The only {unit} is in use",
		"close it or try again later{raise}",
	}
	AllInUse = Entry{
		"All {total} {unit} are in use",
		"close some or try again later{raise}",
	}
)

// Why a token is refused.
var (
	TokenMissing = Entry{
		"A token is needed here",
		"send it as the header Authorization: Bearer TOKEN, or as the WebSocket subprotocol bearer.TOKEN",
	}
	TokenUnknown = Entry{
		"This token is not valid here",
		"check that it is complete, and that cdphub was started with it (--client-token, --host-token, --tokens) or with the key that verifies it (--jwt-key)",
	}
	TokenExpired = Entry{
		"This token has expired",
		"get a new one: cdphub token new, or cdphub token mint",
	}
	TokenRevoked = Entry{
		"This token has been revoked",
		"get a new one: cdphub token new, or cdphub token mint",
	}
	TokenRole = Entry{
		"This token is for the role {role}, and this address needs one for the role {needed}",
		"use a token with role {needed}",
	}
	TokenHub = Entry{
		"This token is for {hub}, and this address belongs to another hub",
		"use the address of {hub}, or a token for this hub or for every hub",
	}
	TokenShare = Entry{
		"This address belongs to another share of the hub than this token",
		"leave the share out of the address, or use a token with the same share, or one for every hub with scope privileged",
	}
	TokenClaims = Entry{
		"This token is signed with a known key, but cannot be used ({reason})",
		"create a valid one: cdphub token mint",
	}
	TokenInURL = Entry{
		"This address does not accept a token in its query, where it could be logged",
		"send it as the header Authorization: Bearer TOKEN, or as the WebSocket subprotocol bearer.TOKEN",
	}
)

// Why a connection does not get the named session that it asks for.
var (
	SessionEnded = Entry{
		"This named session has ended: {why}. Its state is lost",
		"connect with fresh=true to begin a new session with this name",
	}
	SessionUnknown = Entry{
		"This token has no named session of that name to resume: another token has begun it, or the hub was restarted",
		"connect without resume to begin one",
	}
	StreamEnded = Entry{
		"The stream to resume has ended: another connection has taken the named session over without resuming it, or its node has died",
		"connect without resume",
	}
	StreamAhead = Entry{
		"The number in resume is greater than the number of the last message that the hub has sent",
		"give the number of the last message that you have received",
	}
	SessionsFull = Entry{
		"This token has as many named sessions as it may have here",
		"end one with DELETE /sessions/NAME, wait until a grace time is over, or allow more with --max-named-sessions",
	}
)

// What the proxy says in the place of the app.
var (
	AppDown = Entry{
		"The app at {app} cannot be reached ({reason})",
		"start it, or give cdphub the right address",
	}
	AppCertificate = Entry{
		"The certificate of the app at {app} is not trusted ({reason})",
		"start cdphub with --insecure-cert to accept it, or add its authority to those of the machine (SSL_CERT_FILE)",
	}
)

// All is every Entry by the name of its heading in docs/troubleshooting.md.
var All = map[string]Entry{
	"no-page":         NoPage,
	"page-away":       PageAway,
	"page-hangs":      PageHangs,
	"document-hangs":  DocumentHangs,
	"host-busy":       HostBusy,
	"no-hook":         NoHook,
	"no-browser-here": NoBrowserHere,
	"only-user-opens": OnlyUserOpens,
	"only-shared":     OnlySharedTabs,
	"restarting":      Restarting,
	"browser-ended":   BrowserEnded,
	"browsers-full":   BrowsersFull,
	"chrome-off":      ChromeSwitchedOff,
	"chrome-asks":     ChromeAsks,
	"chrome-denied":   ChromeDenied,
	"cluster-full":    ClusterFull,
	"part-in-use":     PartInUse,
	"limit-in-use":    LimitInUse,
	"one-in-use":      OneInUse,
	"all-in-use":      AllInUse,
	"taken-over":      TakenOver,
	"handed-off":      HandedOff,
	"token-missing":   TokenMissing,
	"token-unknown":   TokenUnknown,
	"token-expired":   TokenExpired,
	"token-revoked":   TokenRevoked,
	"token-role":      TokenRole,
	"token-hub":       TokenHub,
	"token-share":     TokenShare,
	"token-claims":    TokenClaims,
	"token-in-url":    TokenInURL,
	"session-ended":   SessionEnded,
	"session-unknown": SessionUnknown,
	"stream-ended":    StreamEnded,
	"stream-ahead":    StreamAhead,
	"sessions-full":   SessionsFull,
	"app-down":        AppDown,
	"app-certificate": AppCertificate,
}

// With fills in places: pairs of a name, without braces, and its text. A place that
// no pair names stays as it is.
func (e Entry) With(pairs ...string) Entry {
	list := make([]string, len(pairs))
	for i, text := range pairs {
		if list[i] = text; i%2 == 0 {
			list[i] = "{" + text + "}"
		}
	}
	r := strings.NewReplacer(list...)
	return Entry{r.Replace(e.State), r.Replace(e.Do)}
}

// String is the whole message, without a full stop.
func (e Entry) String() string { return e.State + ": " + e.Do }

// Error implements error, so that an Entry can be the error of a function.
func (e Entry) Error() string { return e.String() }
