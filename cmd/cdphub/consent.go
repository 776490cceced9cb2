package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/hooks"
)

// consents are those for the scripts of browser hooks.
func (f actionFlags) consents() *actions.Consents {
	c := &actions.Consents{Allow: f.EvalAllow, Deny: f.EvalDeny}
	if f.EvalAsk != "" {
		c.Ask = func(ctx context.Context, caller, origin string) (bool, error) {
			return askConsent(ctx, f.EvalAsk, caller, origin)
		}
	}
	return c
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

// serveHookScript serves /rp.js, which is the same for everybody and holds no
// secret.
func (s *server) serveHookScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	w.Write(hooks.Script) //nolint:errcheck // a peer that is gone
}
