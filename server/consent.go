package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/version"
)

// consents are those for the scripts of browser hooks.
func (a Actions) consents() (*actions.Consents, error) {
	allow, err := readOrigins(a.EvalAllow)
	if err != nil {
		return nil, optionname.Errorf("{server.Actions.EvalAllow} %w", err)
	}
	deny, err := readOrigins(a.EvalDeny)
	if err != nil {
		return nil, optionname.Errorf("{server.Actions.EvalDeny} %w", err)
	}
	return &actions.Consents{Allow: allow, Deny: deny, Ask: a.EvalAsk}, nil
}

// otherOrigin matches an origin that has not the scheme http or https, such as that of
// DevTools or of an extension.
var otherOrigin = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://[^/?#@*\s]+$`)

// peerOrigins reads the origins of an option whose pages may be Clients or Hosts. Pages
// of other schemes than http and https may be, too; there is no "*".
func peerOrigins(option string, list []string) ([]string, error) {
	read := make([]string, len(list))
	for i, o := range list {
		trimmed := strings.ToLower(strings.TrimSuffix(o, "/"))
		switch scheme, _, _ := strings.Cut(trimmed, "://"); {
		case scheme != "http" && scheme != "https" && otherOrigin.MatchString(trimmed):
			read[i] = trimmed
		default:
			one, err := readOrigins([]string{o})
			if err != nil || o == "*" {
				return nil, fmt.Errorf("%s %w", optionname.Of(option), cmp.Or(err, errNoPattern))
			}
			read[i] = one[0]
		}
	}
	return read, nil
}

var errNoPattern = errors.New(`"*" can never match: name each origin, such as https://app.example`)

// allowedHosts checks Options.AllowedHosts. A name with a dot in front stands for
// all names below it.
func allowedHosts(list []string) error {
	for _, h := range list {
		plain := strings.TrimPrefix(strings.ToLower(h), ".")
		if name, ok := auth.HostName(plain); !ok || name != strings.TrimSuffix(plain, ".") {
			return optionname.Errorf("{server.Options.AllowedHosts} %q can never match: set a name such as hub.example, without a scheme or a port", h)
		}
	}
	return nil
}

// hookScopes checks Actions.HookScopes.
func hookScopes(list []string) error {
	for _, s := range list {
		if !slices.Contains(auth.HookScopes, s) {
			return optionname.Errorf("{server.Actions.HookScopes} %q can never match: use only %s", s, strings.Join(auth.HookScopes, ", "))
		}
	}
	return nil
}

// readOrigins reads the origins of an option, in the form in which pages have them. A
// document without an address of its own has the origin "null" (HTML Standard,
// "opaque origin"), such as a sandboxed frame.
func readOrigins(list []string) ([]string, error) {
	read := make([]string, len(list))
	for i, o := range list {
		var ok bool
		switch read[i], ok = urlpolicy.Origin(o); {
		case ok:
		case o == "*", o == "null", o == "file://":
			read[i] = o
		default:
			return nil, fmt.Errorf("%q can never match: an origin is written as https://app.example or http://127.0.0.1:8080", o)
		}
	}
	return read, nil
}

// AskURL is for Actions.EvalAsk: it asks a URL, which has 60 s to answer (the
// deadline of ctx):
//
//	POST {"caller":"…","origin":"https://app.example"} -> {"allow":true}
//
// Every status but 200 is an error, and refuses the script.
func AskURL(url string) func(ctx context.Context, caller, origin string) (allow bool, err error) {
	return func(ctx context.Context, caller, origin string) (bool, error) {
		question, err := json.Marshal(map[string]string{"caller": caller, "origin": origin})
		if err != nil {
			return false, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(question))
		if err != nil {
			return false, err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("User-Agent", version.UserAgent())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return false, optionname.Errorf("{server.Actions.EvalAsk} answers with status %d", resp.StatusCode)
		}
		var answer struct{ Allow bool }
		// In bytes. The answer is one word of JSON, and the rest of a longer one is
		// not read.
		const longest = 1 << 16
		err = json.NewDecoder(io.LimitReader(resp.Body, longest)).Decode(&answer)
		return answer.Allow, err
	}
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
