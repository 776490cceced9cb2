package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/relay/quota"
)

// sandboxPath is where sandboxes are made and asked for:
//
//	POST   /browser-sandboxes        makes one and answers with its record, which has its token
//	GET    /browser-sandboxes        {"sandboxes":[…]}: those made with the same token, without theirs
//	                                 (and "missing":["b"] of a cluster: nodes that have not answered)
//	GET    /browser-sandboxes/NAME   its record
//	DELETE /browser-sandboxes/NAME   ends it, with its browser and all its connections
const sandboxPath = "/browser-sandboxes"

// sandboxPrefix and sandboxRandom are what the name of a sandbox consists of: the
// prefix, and 26 random characters of base32 in lower case (RFC 4648, section 6), 130
// bits, so that nobody can guess one. No other hub may have such a name: a Client
// that comes back to a sandbox that has ended makes no new hub.
const (
	sandboxPrefix = "sandbox-"
	sandboxRandom = 26
)

// sandboxRecord says where a sandbox is.
type sandboxRecord struct {
	SandboxID      string    `json:"sandboxID"`
	WSEndpoint     string    `json:"wsEndpoint"`     // CDP: …/cdp
	NDJSONEndpoint string    `json:"ndjsonEndpoint"` // the same with /ndjson at its end
	CreatedAt      time.Time `json:"createdAt"`

	// AccessToken is a Client's token for this sandbox alone, with scope full. It
	// is good until the sandbox ends, and shown once: to whoever makes the sandbox.
	AccessToken string `json:"accessToken,omitempty"`
}

// sandboxes are hubs that were made on request, until they are deleted or have not
// been used for a while. Lock order: mu, then the lock of a connection, which the end
// functions of users take. They run under mu and must not wait.
type sandboxes struct {
	quotas *quota.Ledger // static
	idle   time.Duration

	mu   sync.Mutex          // guards everything below
	live map[string]*sandbox `held:"sandboxes"`
}

// sandbox is one. The lock of sandboxes guards it.
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

var errNoSandbox = errors.New("the sandbox does not exist (it may have ended)")

// isSandbox reports whether a hub's name is that of a sandbox, which there may
// be or not.
func isSandbox(name string) bool {
	random, ok := strings.CutPrefix(name, sandboxPrefix)
	return ok && len(random) == sandboxRandom && strings.Trim(random, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// reserve makes room for a sandbox and gives it a name. begin or cancel must follow.
// The place is taken before the browser starts, so that requests at the same time do
// not exceed the limit. The error is a *quota.Error.
func (b *sandboxes) reserve(owner string, payer quota.Payer) (name string, err error) {
	forget, err := b.quotas.Take(quota.Sandboxes, payer, 1)
	if err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		b.live = make(map[string]*sandbox)
	}
	// rand.Text has at least 128 bits of randomness, as base32 (crypto/rand).
	name = sandboxPrefix + strings.ToLower(rand.Text())
	b.live[name] = &sandbox{since: time.Now(), owner: owner, forget: forget, users: make(map[*user]struct{})}
	return name, nil
}

// cancel gives the place back that reserve has taken.
func (b *sandboxes) cancel(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live[name].forget()
	delete(b.live, name)
}

// begin lets a sandbox begin. end is called when the sandbox has had no user for the
// idle time. release is called when the sandbox ends.
func (b *sandboxes) begin(name string, release, end func()) (since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sb := b.live[name]
	sb.release = release
	sb.timer = time.AfterFunc(b.idle, end)
	return sb.since
}

// since is when a sandbox began; ok is false when there is none.
func (b *sandboxes) since(name string) (at time.Time, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if sb := b.live[name]; sb != nil && sb.release != nil {
		return sb.since, true
	}
	return at, false
}

// listed is a sandbox as a list names it.
type listed struct {
	name  string
	since time.Time
}

// of lists the sandboxes that a bearer has made, the oldest first. Without tokens the
// bearer is "" for everybody.
func (b *sandboxes) of(owner string) []listed {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []listed
	for name, sb := range b.live {
		if sb.release != nil && sb.owner == owner {
			list = append(list, listed{name, sb.since})
		}
	}
	slices.SortFunc(list, func(a, b listed) int { return a.since.Compare(b.since) })
	return list
}

// check refuses the name of a sandbox that does not exist. Every other name passes.
func (b *sandboxes) check(hub string) error {
	if !isSandbox(hub) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[hub] == nil {
		return errNoSandbox
	}
	return nil
}

// join has a user of a hub end together with its sandbox, if the hub is one. end is
// called under the lock then, and must not wait. left is to be called when the user
// has ended by itself. The sandbox is idle while it has no users.
func (b *sandboxes) join(name string, end func()) (left func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sb := b.live[name]
	if sb == nil || sb.timer == nil {
		if isSandbox(name) { // it has just ended
			end()
		}
		return func() {}
	}
	sb.timer.Stop()
	u := &user{end}
	sb.users[u] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(sb.users, u)
		// The sandbox may have ended, and must not get its timer back.
		if len(sb.users) == 0 && b.live[name] == sb {
			sb.timer.Reset(b.idle)
		}
	}
}

// end ends a sandbox and reports whether it has. whenIdle ends it only if it has no
// users: its timer may fire just when a user comes.
func (b *sandboxes) end(name string, whenIdle bool) bool {
	release, ok := b.remove(name, whenIdle)
	if ok {
		release() // without the lock: it ends connections, which leave
	}
	return ok
}

// remove takes a sandbox away and ends its users. The caller calls release without
// the lock.
func (b *sandboxes) remove(name string, whenIdle bool) (release func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sb := b.live[name]
	if sb == nil || sb.release == nil || whenIdle && len(sb.users) > 0 {
		return nil, false
	}
	delete(b.live, name)
	sb.forget()
	sb.timer.Stop()
	for u := range sb.users {
		u.end()
	}
	return sb.release, true
}

// serveSandboxes answers for sandboxPath, to tokens for every hub with scope full or
// more. In a cluster it passes the request on to the node of the sandbox.
func (s *Server) serveSandboxes(w http.ResponseWriter, r *http.Request) {
	if g := auth.PassOf(r).Grant; g.Scope != 0 && g.Scope < auth.ScopeFull {
		refuseSandbox(w, http.StatusForbidden, "Sandboxes need a token of scope full.")
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, sandboxPath), "/")
	if owner, elsewhere := s.sandboxElsewhere(r, name); elsewhere {
		s.passOn(w, r, entry{role: auth.RoleClient, every: true, claim: name == ""}, owner)
		return
	}
	switch {
	case name == "" && r.Method == http.MethodPost:
		s.createSandbox(w, r)
	case name == "" && r.Method == http.MethodGet:
		s.listSandboxes(w, r)
	case name == "":
		w.Header().Set("Allow", "GET, POST")
		refuseSandbox(w, http.StatusMethodNotAllowed, "Create a sandbox with POST, or list sandboxes with GET.")
	case r.Method == http.MethodGet:
		since, ok := s.sandboxes.since(name)
		if !ok {
			refuseSandbox(w, http.StatusNotFound, errNoSandbox.Error())
			return
		}
		writeJSON(w, http.StatusOK, s.sandboxRecord(r, name, since))
	case r.Method == http.MethodDelete:
		if !s.endSandbox(name, false) {
			refuseSandbox(w, http.StatusNotFound, errNoSandbox.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, DELETE")
		refuseSandbox(w, http.StatusMethodNotAllowed, "Read a sandbox with GET, or delete it with DELETE.")
	}
}

// createSandbox makes a hub with a name that nobody can guess, and starts its
// browser. It answers 201 with the record and its address (RFC 9110, section 15.3.2),
// 409 where hubs of such names get no browser, and 503 when there are too many.
func (s *Server) createSandbox(w http.ResponseWriter, r *http.Request) {
	pass := auth.PassOf(r)
	name, err := s.sandboxes.reserve(pass.Bearer(), pass.Payer())
	if err != nil {
		refuseSandbox(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	if !s.browsers.Has(name) {
		s.sandboxes.cancel(name)
		refuseSandbox(w, http.StatusConflict, "A sandbox would have no browser: start cdphub with --browser, and let --browser-hub name "+sandboxPrefix+"*.")
		return
	}
	_, release, err := s.Hub(r.Context(), name)
	if err != nil {
		s.sandboxes.cancel(name)
		if browsers.IsFull(err) {
			w.Header().Set("Retry-After", retryFull)
		}
		refuseSandbox(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	// The token ends with the sandbox, see release.
	token, end := s.tokens.Issue(auth.Grant{Role: auth.RoleClient, Hub: name, Scope: auth.ScopeFull, Name: name, Hooks: pass.Grant.Hooks, Payer: pass.Payer()})
	since := s.sandboxes.begin(name, func() { release(); end() }, func() { s.endSandbox(name, true) })
	s.log.Info("sandbox made", zap.String("hub", name))
	w.Header().Set("Location", sandboxPath+"/"+name)
	record := s.sandboxRecord(r, name, since)
	record.AccessToken = token
	writeJSON(w, http.StatusCreated, record)
}

// listSandboxes answers with the sandboxes that whoever asks has made. Without
// tokens everybody has made all of them. In a cluster these are the sandboxes of all
// nodes; "missing" names those that have not answered.
func (s *Server) listSandboxes(w http.ResponseWriter, r *http.Request) {
	records, missing := s.sandboxesElsewhere(r)
	if records == nil {
		records = []sandboxRecord{}
		// JSON null is no list.
	}
	for _, one := range s.sandboxes.of(auth.PassOf(r).Bearer()) {
		records = append(records, s.sandboxRecord(r, one.name, one.since))
	}
	// Times are whole seconds: those of one node stay in the order in which they began.
	slices.SortStableFunc(records, func(a, b sandboxRecord) int { return a.CreatedAt.Compare(b.CreatedAt) })
	answer := map[string]any{"sandboxes": records}
	if len(missing) > 0 {
		answer["missing"] = missing
	}
	writeJSON(w, http.StatusOK, answer)
}

// endSandbox ends a sandbox with its browser.
func (s *Server) endSandbox(name string, whenIdle bool) bool {
	if !s.sandboxes.end(name, whenIdle) {
		return false
	}
	s.browsers.End(name)
	s.log.Info("sandbox ended", zap.String("hub", name), zap.Bool("idle", whenIdle))
	return true
}

// sandboxRecord is the record of a sandbox, with addresses as the asking client
// can reach them.
func (s *Server) sandboxRecord(r *http.Request, name string, since time.Time) sandboxRecord {
	host, prefix := r.Host, "/hub/"+name
	if below, port := s.belowBaseDomain(r.Host); below {
		host, prefix = name+"."+s.o.BaseDomain+port, ""
	}
	return sandboxRecord{
		SandboxID:      name,
		WSEndpoint:     socketURL(r, host, prefix+"/cdp"),
		NDJSONEndpoint: socketURL(r, host, prefix+"/ndjson"),
		CreatedAt:      since.UTC().Truncate(time.Second),
	}
}

// refuseSandbox answers why something is not done, as {"error":"…"}: programs read
// all answers of these paths as JSON.
func refuseSandbox(w http.ResponseWriter, status int, why string) {
	writeJSON(w, status, map[string]string{"error": why})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // a peer that is gone
}

// belowBaseDomain reports whether a Host header is the domain below which hubs have
// names. port is that of the header, with its colon, or "".
func (s *Server) belowBaseDomain(host string) (below bool, port string) {
	name, ok := auth.HostName(host)
	if _, p, err := net.SplitHostPort(host); err == nil {
		port = ":" + p
	}
	return ok && s.o.BaseDomain != "" && name == s.o.BaseDomain, port
}

// readBaseDomain is a domain in the form in which Host headers are compared with it:
// in lower case. Its error names the option.
func readBaseDomain(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	name, ok := auth.HostName(text)
	if !ok || strings.ContainsAny(text, ":[") || strings.HasPrefix(name, ".") {
		return "", optionname.Errorf("{server.Options.BaseDomain} %q is not valid: set a name such as hubs.example, without a scheme, a port or a leading dot; hub NAME is then at NAME.hubs.example", text)
	}
	return name, nil
}
