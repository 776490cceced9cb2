package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// consents are those for the scripts of browser hooks.
func (f actionFlags) consents() (*actions.Consents, error) {
	allow, err := origins(f.EvalAllow)
	if err != nil {
		return nil, fmt.Errorf("--eval-allow %w", err)
	}
	deny, err := origins(f.EvalDeny)
	if err != nil {
		return nil, fmt.Errorf("--eval-deny %w", err)
	}
	c := &actions.Consents{Allow: allow, Deny: deny}
	if f.EvalAsk != "" {
		c.Ask = func(ctx context.Context, caller, origin string) (bool, error) {
			return askConsent(ctx, f.EvalAsk, caller, origin)
		}
	}
	return c, nil
}

// origins reads the origins of an option, as pages have them. Documents without
// an address of their own have the origin "null".
func origins(list []string) ([]string, error) {
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

// askConsent asks a URL. The caller is named by the hash of its token.
func askConsent(ctx context.Context, url, caller, origin string) (bool, error) {
	question, err := json.Marshal(map[string]string{"caller": caller, "origin": origin})
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(question))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("--eval-ask answers with status %d", resp.StatusCode)
	}
	var answer struct{ Allow bool }
	const longest = 1 << 16
	err = json.NewDecoder(io.LimitReader(resp.Body, longest)).Decode(&answer)
	return answer.Allow, err
}
