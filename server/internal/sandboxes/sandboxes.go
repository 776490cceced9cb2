// Package sandboxes makes hubs on request, each with a browser and a token of its own, which last
// until they are deleted or have not been used for a while.
package sandboxes

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/forward"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// Path is where sandboxes are made and asked for:
//
//	POST   /browser-sandboxes        makes one and answers with its record, which has its token
//	GET    /browser-sandboxes        {"sandboxes":[…]}: those made with the same token, without theirs
//	                                 (and "missing":["b"] of a cluster: nodes that have not answered)
//	GET    /browser-sandboxes/NAME   its record
//	DELETE /browser-sandboxes/NAME   ends it, with its browser and all its connections
const Path = "/browser-sandboxes"

// Record says where a sandbox is.
type Record struct {
	SandboxID      string    `json:"sandboxID"`
	WSEndpoint     string    `json:"wsEndpoint"`     // CDP: …/cdp
	NDJSONEndpoint string    `json:"ndjsonEndpoint"` // the same with /ndjson at its end
	CreatedAt      time.Time `json:"createdAt"`

	// AccessToken is a Client's token for this sandbox alone, with scope full. It
	// is good until the sandbox ends, and shown once: to whoever makes the sandbox.
	AccessToken string `json:"accessToken,omitempty"`
}

// Options are of New. All fields are needed, but for BaseDomain and, without a cluster, Member and Forward.
type Options struct {
	Idle       time.Duration // how long a sandbox without a connection lasts
	BaseDomain string        // below which hubs have names
	Quotas     *quota.Ledger
	Browsers   *browsers.Pool
	Tokens     *auth.Tokens
	Member     *membership.Member
	Forward    *forward.Forwarder
	Log        *zap.Logger
	// Acquire finds or makes a hub with its browser.
	Acquire func(ctx context.Context, name string) (*relay.Hub, func(), error)
	// Ended is told of each sandbox that has ended.
	Ended func(hub string)
}

// Table has the sandboxes of a server. Lock order: mu, then the lock of a connection, which the end
// functions of users take. They run under mu and must not wait.
type Table struct {
	o Options `stays:"configuration"` // static

	mu   sync.Mutex          // guards everything below
	live map[string]*sandbox `held:"sandboxes"`
}

// New makes a Table without sandboxes.
func New(o Options) *Table { return &Table{o: o, live: make(map[string]*sandbox)} }

// sandbox is one. The lock of Table guards it.
type sandbox struct {
	since   time.Time
	owner   string // the bearer that made it; "" without tokens
	forget  func() // gives its place back
	release func() // of its hub, browser and token; nil while it is being made
	users   map[*user]struct{}
	timer   *time.Timer // runs while there are no users
}

// user is a connection of a sandbox, or a Client within the process.
type user struct{ end func() }

// ErrEnded says that no sandbox has a name.
var ErrEnded = errors.New("the sandbox does not exist (it may have ended)")

// Names are those of all sandboxes.
func (t *Table) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.live))
}

// Rows are of the route table. off leaves them out.
func (t *Table) Rows(off bool) []front.Entry {
	row := front.Entry{
		On: front.ForClients, When: front.NamesNoHub, Off: off, Role: auth.RoleClient, Every: true, JSON: true, Serve: t.serve,
	}
	one := row
	row.Path, one.Path = Path, Path+"/{name...}"
	return []front.Entry{row, one}
}

// reserve makes room for a sandbox and gives it a name. begin or cancel must follow.
// The place is taken before the browser starts, so that requests at the same time do
// not exceed the limit. The error is a *quota.Error.
func (t *Table) reserve(owner string, payer quota.Payer) (name string, err error) {
	forget, err := t.o.Quotas.Take(quota.Sandboxes, payer, 1)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// rand.Text has at least 128 bits of randomness, as base32 (crypto/rand).
	name = front.SandboxPrefix + strings.ToLower(rand.Text())
	t.live[name] = &sandbox{since: time.Now(), owner: owner, forget: forget, users: make(map[*user]struct{})}
	return name, nil
}

// cancel gives the place back that reserve has taken.
func (t *Table) cancel(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live[name].forget()
	delete(t.live, name)
}

// begin lets a sandbox begin. end is called when the sandbox has had no user for the
// idle time. release is called when the sandbox ends.
func (t *Table) begin(name string, release, end func()) (since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sb := t.live[name]
	sb.release = release
	sb.timer = time.AfterFunc(t.o.Idle, end)
	return sb.since
}

// since is when a sandbox began; ok is false when there is none.
func (t *Table) since(name string) (at time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if sb := t.live[name]; sb != nil && sb.release != nil {
		return sb.since, true
	}
	return at, false
}

// listed is a sandbox as a list names it.
type listed struct {
	name  string
	since time.Time
}

// madeBy lists the sandboxes that a bearer has made, the oldest first. Without tokens the
// bearer is "" for everybody.
func (t *Table) madeBy(owner string) []listed {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []listed
	for name, sb := range t.live {
		if sb.release != nil && sb.owner == owner {
			list = append(list, listed{name, sb.since})
		}
	}
	slices.SortFunc(list, func(a, b listed) int { return a.since.Compare(b.since) })
	return list
}

// Check refuses the name of a sandbox that does not exist. Every other name passes.
func (t *Table) Check(hub string) error {
	if !front.IsSandbox(hub) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live[hub] == nil {
		return ErrEnded
	}
	return nil
}

// Refuses answers 404 for the name of a sandbox that does not exist, and reports whether it has.
func (t *Table) Refuses(w http.ResponseWriter, hub string) bool {
	err := t.Check(hub)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
	return err != nil
}

// Join has a user of a hub end together with its sandbox, if the hub is one. end is
// called under the lock then, and must not wait. left is to be called when the user
// has ended by itself. The sandbox is idle while it has no users.
func (t *Table) Join(name string, end func()) (left func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sb := t.live[name]
	if sb == nil || sb.timer == nil {
		if front.IsSandbox(name) { // it has just ended
			end()
		}
		return func() {}
	}
	sb.timer.Stop()
	u := &user{end}
	sb.users[u] = struct{}{}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(sb.users, u)
		// The sandbox may have ended, and must not get its timer back.
		if len(sb.users) == 0 && t.live[name] == sb {
			sb.timer.Reset(t.o.Idle)
		}
	}
}

// remove takes a sandbox away and ends its users. The caller calls release without
// the lock.
func (t *Table) remove(name string, whenIdle bool) (release func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sb := t.live[name]
	if sb == nil || sb.release == nil || whenIdle && len(sb.users) > 0 {
		return nil, false
	}
	delete(t.live, name)
	sb.forget()
	sb.timer.Stop()
	for u := range sb.users {
		u.end()
	}
	return sb.release, true
}

// serve answers for Path, to tokens for every hub with scope full or
// more. In a cluster it forwards the request to the node of the sandbox.
func (t *Table) serve(w http.ResponseWriter, r *http.Request) {
	if !auth.PassOf(r).Grant.Includes(auth.ScopeFull) {
		writeError(w, http.StatusForbidden, "Sandboxes need a token of scope full.")
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, Path), "/")
	if owner, elsewhere := t.findElsewhere(r, name); elsewhere {
		t.o.Forward.Forward(w, r, front.Entry{Role: auth.RoleClient, Every: true, Claim: name == ""}, owner)
		return
	}
	switch {
	case name == "" && r.Method == http.MethodPost:
		t.create(w, r)
	case name == "" && r.Method == http.MethodGet:
		t.list(w, r)
	case name == "":
		w.Header().Set("Allow", "GET, POST")
		writeError(w, http.StatusMethodNotAllowed, "Create a sandbox with POST, or list sandboxes with GET.")
	case r.Method == http.MethodGet:
		since, ok := t.since(name)
		if !ok {
			writeError(w, http.StatusNotFound, ErrEnded.Error())
			return
		}
		front.WriteJSON(w, http.StatusOK, t.record(r, name, since))
	case r.Method == http.MethodDelete:
		if !t.End(name) {
			writeError(w, http.StatusNotFound, ErrEnded.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, DELETE")
		writeError(w, http.StatusMethodNotAllowed, "Read a sandbox with GET, or delete it with DELETE.")
	}
}

// create makes a hub with a name that nobody can guess, and starts its
// browser. It answers 201 with the record and its address (RFC 9110, section 15.3.2),
// 409 where hubs of such names get no browser, and 503 when there are too many.
func (t *Table) create(w http.ResponseWriter, r *http.Request) {
	pass := auth.PassOf(r)
	name, err := t.reserve(pass.Bearer(), pass.Payer())
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	if !t.o.Browsers.Has(name) {
		t.cancel(name)
		writeError(w, http.StatusConflict, "A sandbox would have no browser: start cdphub with --browser, and let --browser-hub name "+front.SandboxPrefix+"*.")
		return
	}
	_, release, err := t.o.Acquire(r.Context(), name)
	if err != nil {
		t.cancel(name)
		if browsers.IsFull(err) {
			w.Header().Set("Retry-After", front.RetryFull)
		}
		writeError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	// The token ends with the sandbox, see release.
	token, end := t.o.Tokens.Issue(auth.Grant{Role: auth.RoleClient, Hub: name, Scope: auth.ScopeFull, Name: name, Hooks: pass.Grant.Hooks, Payer: pass.Payer()})
	since := t.begin(name, func() { release(); end() }, func() { t.end(name, true) })
	t.o.Log.Info("sandbox made", zap.String("hub", name))
	w.Header().Set("Location", front.PathFor(r, Path+"/"+name))
	record := t.record(r, name, since)
	record.AccessToken = token
	front.WriteJSON(w, http.StatusCreated, record)
}

// list answers with the sandboxes that the token has made. Without
// tokens everybody has made all of them. In a cluster these are the sandboxes of all
// nodes; "missing" names those that have not answered.
func (t *Table) list(w http.ResponseWriter, r *http.Request) {
	records, missing := t.listElsewhere(r)
	if records == nil {
		records = []Record{}
		// JSON null is no list.
	}
	for _, one := range t.madeBy(auth.PassOf(r).Bearer()) {
		records = append(records, t.record(r, one.name, one.since))
	}
	// Times are whole seconds: those of one node stay in the order in which they began.
	slices.SortStableFunc(records, func(a, b Record) int { return a.CreatedAt.Compare(b.CreatedAt) })
	answer := map[string]any{"sandboxes": records}
	if len(missing) > 0 {
		answer["missing"] = missing
	}
	front.WriteJSON(w, http.StatusOK, answer)
}

// End ends a sandbox with its browser, and reports whether there was one.
func (t *Table) End(name string) bool { return t.end(name, false) }

// end is End, or with whenIdle ends a sandbox only if it has no users: its timer may fire just
// when a user comes.
func (t *Table) end(name string, whenIdle bool) bool {
	release, ok := t.remove(name, whenIdle)
	if !ok {
		return false
	}
	release() // without the lock: it ends connections, which leave
	t.o.Browsers.End(name)
	t.o.Ended(name)
	t.o.Log.Info("sandbox ended", zap.String("hub", name), zap.Bool("idle", whenIdle))
	return true
}

// record is the record of a sandbox, with addresses as the asking client
// can reach them.
func (t *Table) record(r *http.Request, name string, since time.Time) Record {
	own, prefix := auth.OwnAddressOf(r), "/hub/"+name
	if below, port := t.belowBaseDomain(own.Host); below {
		own.Host, prefix = name+"."+t.o.BaseDomain+port, ""
	}
	return Record{
		SandboxID:      name,
		WSEndpoint:     own.WebSocket() + prefix + "/cdp",
		NDJSONEndpoint: own.WebSocket() + prefix + "/ndjson",
		CreatedAt:      since.UTC().Truncate(time.Second),
	}
}

// writeError answers why something is not done, as {"error":"…"}: programs read
// all answers of these paths as JSON.
func writeError(w http.ResponseWriter, status int, why string) {
	front.WriteJSON(w, status, map[string]string{"error": why})
}

// belowBaseDomain reports whether a Host header is the domain below which hubs have
// names. port is that of the header, with its colon, or "".
func (t *Table) belowBaseDomain(host string) (below bool, port string) {
	name, ok := auth.HostName(host)
	if _, p, err := net.SplitHostPort(host); err == nil {
		port = ":" + p
	}
	return ok && t.o.BaseDomain != "" && name == t.o.BaseDomain, port
}
