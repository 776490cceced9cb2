package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
)

// tokenCmd is `cdphub token`.
type tokenCmd struct {
	New   tokenNewCmd   `cmd:"" help:"Create a random token and its entry for a tokens file."`
	Mint  tokenMintCmd  `cmd:"" help:"Create a signed token (JWT)."`
	Check tokenCheckCmd `cmd:"" help:"Print what a token allows, or why the hub would refuse it."`
}

// grantFlags say what a new token allows.
type grantFlags struct {
	Name  string   `help:"Name of the program or person that uses the token. Default: the role, and a part of the token's hash."`
	Role  string   `help:"Role of the token: client, host or admin." enum:"client,host,admin" default:"client"`
	Hub   string   `help:"Name of the hub that the token is for; * for all hubs. Default: the default hub, or all hubs for role admin."`
	Scope string   `help:"What a Client with the token may do: readonly, standard, full or privileged." enum:"readonly,standard,full,privileged" default:"standard" needs:"role=client"`
	Hooks []string `help:"What browser hooks may do with the token, in place of --hook-scope of the hub: browser:read, browser:write, browser:eval." placeholder:"SCOPE" needs:"role=client"`
	Tabs  string   `help:"Tabs that Clients with the token see. own: only the tabs that they have opened or that were granted to them. Default: all tabs." enum:",own" default:"" needs:"role=client"`

	Session string `help:"Named session for Clients with the token whose URL names no session." placeholder:"NAME" needs:"role=client"`
	Share   string `help:"Name of the share. Tokens with the same share use one browser of a hub together. Default: the token has a browser of its own. A Host page that Clients are to see beside that browser needs a token with their share." placeholder:"NAME"`

	Limit map[string]int64 `help:"Most that the token may have of something: browsers, clients, tabs, sessions, or another resource that operate.md lists, such as browsers=2. May be repeated. Default: its part of what the hub has." placeholder:"NAME=N"`
	Grace string           `help:"Longest time that named sessions of the token stay without a connection, such as 10m. Default: --session-grace of the hub." placeholder:"TIME" needs:"role=client"`
}

// entry is an entry of a tokens file. name is for a token that has no name of its
// own.
func (f *grantFlags) entry(name string) auth.FileEntry {
	return auth.FileEntry{
		Name: cmp.Or(f.Name, name), Role: f.Role, Hub: f.Hub, Scope: f.Scope, Hooks: f.Hooks, Tabs: f.Tabs,
		Session: f.Session, Grace: f.Grace, Share: f.Share, Limits: f.Limit,
	}
}

type tokenNewCmd struct {
	grantFlags
	TTL    time.Duration `name:"ttl" help:"Time until the token expires, such as 24h. Default: it never expires." placeholder:"TIME"`
	Append string        `help:"Add the entry to this tokens file, which is created with mode 0600 if it does not exist, and print only the token." placeholder:"FILE"`
}

// Run prints a token for its bearer and an entry for the hub. The entry has only a
// hash, which cannot be turned back into the token. It can be added at the end of any
// tokens file.
func (c *tokenNewCmd) Run(s streams) error {
	token := auth.NewToken()
	hash := auth.NewSecret(token).Hash()
	e := c.entry(c.Role + "-" + hash[:8])
	e.SHA256 = hash
	if c.TTL != 0 {
		over := time.Now().Add(c.TTL).UTC().Truncate(time.Second)
		e.Expires = &over
	}
	g, err := e.Grant()
	if err != nil {
		return err
	}
	if e.Hub = g.Hub; g.Role != auth.RoleClient {
		e.Scope = ""
	}
	if c.Append != "" {
		if err := auth.AppendFile(c.Append, e); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "%s has an entry for %q now. %sThis is its token, which is not kept anywhere:\n", c.Append, e.Name, hintOf(e))
		_, err = fmt.Fprintln(s.out, token)
		return err
	}
	entry, err := e.Document()
	if err != nil {
		return err
	}
	hint := ""
	if text := hintOf(e); text != "" {
		hint = "# " + strings.TrimSpace(text) + "\n"
	}
	_, err = fmt.Fprintf(s.out, "# Token for the Client or Host:\n#   %s\n%s# Entry for the file of --tokens:\n%s", token, hint, entry)
	return err
}

// hintOf says what a Client with a new token would miss first.
func hintOf(e auth.FileEntry) string {
	if e.Scope != "standard" && e.Scope != "readonly" {
		return ""
	}
	return "Its scope is " + e.Scope + ": browser.newContext() of Playwright and Puppeteer needs --scope full. "
}

type tokenMintCmd struct {
	grantFlags
	Key string        `help:"Key that signs the token: an Ed25519 private key in PEM (openssl genpkey -algorithm ed25519), or a secret of 32 bytes or more." required:"" placeholder:"FILE"`
	TTL time.Duration `name:"ttl" help:"Time until the token expires." default:"24h"`
	ID  string        `help:"Id by which the token can be revoked. Default: a random id." placeholder:"ID"`
}

func (c *tokenMintCmd) Run(s streams) error {
	key, err := os.ReadFile(c.Key)
	if err != nil {
		return err
	}
	g, err := c.entry(c.Role).Grant()
	if err != nil {
		return err
	}
	g.ID = c.ID
	token, err := auth.Mint(key, g, time.Now(), c.TTL)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, token)
	return err
}

type tokenCheckCmd struct {
	Token  string   `arg:"" help:"Token to check. With -, the token is read from standard input, where other users cannot see it."`
	Tokens string   `help:"Tokens file of the hub." env:"CDPHUB_TOKENS" placeholder:"FILE"`
	JWTKey []string `help:"Key file with which the hub verifies signed tokens." name:"jwt-key" env:"CDPHUB_JWT_KEY" placeholder:"FILE"`
}

// maxToken is the longest token that is read, in bytes: requests have no room
// for a longer one.
const maxToken = 16 << 10

func (c *tokenCheckCmd) Run(_ context.Context, s streams) error {
	text := c.Token
	if text == "-" {
		raw, err := io.ReadAll(io.LimitReader(os.Stdin, maxToken))
		if err != nil {
			return err
		}
		text = strings.TrimSpace(string(raw))
	}
	tokens, err := auth.NewTokens(auth.TokenOptions{File: c.Tokens, Keys: c.JWTKey, Log: zap.NewNop()})
	if err != nil {
		return err
	}
	if !tokens.Set() {
		return errors.New("there is nothing to check the token against: set --tokens or --jwt-key as for the hub")
	}
	g, err := tokens.Inspect(auth.NewSecret(text))
	if err != nil {
		if g.Role != "" { // it was good once
			err = fmt.Errorf("%w; it was:\n%s", err, describeGrant(g))
		}
		return fmt.Errorf("the hub would refuse it everywhere: %w", err)
	}
	_, err = fmt.Fprintf(s.out, "%s\n\n%s", describeGrant(g), describeUses(g))
	return err
}

// describeUses says where a token is accepted, and why not elsewhere, one line each.
func describeUses(g auth.Grant) string {
	hub := g.Hub
	if hub == auth.EveryHub {
		hub = relay.DefaultHub
	}
	own, other := "the default hub", "another hub"
	switch g.Hub {
	case relay.DefaultHub:
	case auth.EveryHub:
		own, other = "the default hub", "any other hub"
	default:
		own = "hub " + g.Hub
	}
	var b strings.Builder
	line := func(what string, refused error) {
		if refused != nil {
			fmt.Fprintf(&b, "refused   %s: %v\n", what, refused)
			return
		}
		fmt.Fprintf(&b, "accepted  %s\n", what)
	}
	line("as Client of "+own, g.Refuses(auth.RoleClient, hub))
	line("as Client of "+other, g.Refuses(auth.RoleClient, auth.EveryHub))
	sandboxes := g.Refuses(auth.RoleClient, auth.EveryHub)
	if sandboxes == nil && g.Scope < auth.ScopeFull {
		sandboxes = errors.New("the token's scope is " + g.Scope.String() + ", and sandboxes need full")
	}
	line("to make sandboxes", sandboxes)
	line("as Host of "+own, g.Refuses(auth.RoleHost, hub))
	line("as Host of "+other, g.Refuses(auth.RoleHost, auth.EveryHub))
	line("at the listener for operators (--admin-addr)", g.Refuses(auth.RoleAdmin, auth.EveryHub))
	if g.Role == auth.RoleClient && g.Scope < auth.ScopePrivileged {
		fmt.Fprintf(&b, "refused   commands that need a scope above %s (see docs/scopes.md)\n", g.Scope)
	}
	return b.String()
}

// describeGrant says what a token allows, one line each.
func describeGrant(g auth.Grant) string {
	hub := "the default hub"
	switch g.Hub {
	case "":
	case auth.EveryHub:
		hub = "every hub"
	default:
		hub = "hub " + g.Hub
	}
	lines := []string{"role:    " + string(g.Role), "for:     " + hub}
	if g.Role == auth.RoleClient {
		lines = append(lines, "scope:   "+g.Scope.String())
	}
	if g.Hooks != nil {
		lines = append(lines, "hooks:   "+cmp.Or(strings.Join(g.Hooks, ", "), "none"))
	}
	if g.OwnTabs {
		lines = append(lines, "tabs:    own")
	}
	if g.Session != "" {
		lines = append(lines, "session: "+g.Session)
	}
	if g.Grace != 0 {
		lines = append(lines, "grace:   "+g.Grace.String()+" at most")
	}
	switch {
	case g.Share != "":
		lines = append(lines, "share:   "+g.Share)
	case g.Role == auth.RoleClient:
		lines = append(lines, "share:   its own")
	}
	if g.Limits != "" {
		lines = append(lines, "limits:  "+string(g.Limits))
	}
	if g.Name != "" {
		lines = append(lines, "name:    "+g.Name)
	}
	if g.ID != "" {
		lines = append(lines, "id:      "+g.ID)
	}
	if !g.Expires.IsZero() {
		lines = append(lines, "expires: "+g.Expires.UTC().Format(time.RFC3339))
	}
	return strings.Join(lines, "\n")
}
