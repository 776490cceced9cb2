package proxy

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// provider is an OpenID provider: discovery, the authorization-code flow with PKCE, a
// JWKS, and RP-initiated logout. It compares the addresses of its client byte by byte,
// and requires the Origin of its own log-in form.
type provider struct {
	issuer, callback, afterLogout string
	key                           *rsa.PrivateKey
	framed                        bool // by other sites

	mu    sync.Mutex
	codes map[string]url.Values // requests of authorization by their code
}

const clientID = "shop"

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.framed {
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'; form-action 'self' "+p.callback)
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answerJSON(w, map[string]any{
			"issuer": p.issuer, "authorization_endpoint": p.issuer + "/authorize", "token_endpoint": p.issuer + "/token", "jwks_uri": p.issuer + "/jwks",
			"end_session_endpoint": p.issuer + "/end", "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	case "/jwks":
		answerJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	case "/end":
		p.end(w, r)
	default:
		http.NotFound(w, r)
	}
}

// authorize shows the log-in, or sends the user back who is logged in.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != clientID || q.Get("redirect_uri") != p.callback || q.Get("code_challenge_method") != "S256" {
		http.Error(w, fmt.Sprintf("invalid request: %s, registered is %s", r.URL, p.callback), http.StatusBadRequest)
		return
	}
	cookie, err := r.Cookie("session")
	if r.Method == http.MethodPost {
		if r.Header.Get("Origin") != p.issuer {
			http.Error(w, "forged: "+r.Header.Get("Origin"), http.StatusForbidden)
			return
		}
		cookie, err = &http.Cookie{Name: "session", Value: r.FormValue("user"), HttpOnly: true, SameSite: http.SameSiteLaxMode, Path: "/"}, nil
		http.SetCookie(w, cookie)
	}
	if err != nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<title>Log in</title><form method=post><label>User <input name=user></label><button>Log in</button></form>`)
		return
	}
	code := rand.Text()
	q.Set("user", cookie.Value)
	p.mu.Lock()
	p.codes[code] = q
	p.mu.Unlock()
	answer := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.issuer}}
	if q.Get("response_mode") != "form_post" {
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<form method=post action="%s">`, html.EscapeString(q.Get("redirect_uri")))
	for name := range answer {
		fmt.Fprintf(w, `<input type=hidden name=%s value="%s">`, name, html.EscapeString(answer.Get(name)))
	}
	fmt.Fprint(w, `</form><script>document.forms[0].submit()</script>`)
}

// token exchanges a code.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	q := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if q == nil || r.FormValue("redirect_uri") != p.callback || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: p.key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	claims, err := json.Marshal(map[string]any{
		"iss": p.issuer, "sub": q.Get("user"), "aud": clientID, "nonce": q.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	idToken, err := signed.CompactSerialize()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answerJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": idToken})
}

// end is the end_session_endpoint.
func (p *provider) end(w http.ResponseWriter, r *http.Request) {
	if back := r.FormValue("post_logout_redirect_uri"); back != p.afterLogout {
		http.Error(w, "not registered: "+back, http.StatusBadRequest)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "session", Path: "/", MaxAge: -1})
	http.Redirect(w, r, p.afterLogout+"?state="+url.QueryEscape(r.FormValue("state")), http.StatusFound)
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// shop is an app whose users log in at a provider, by go-oidc.
type shop struct {
	own      string
	provider *oidc.Provider
	config   oauth2.Config
}

// ServeHTTP implements http.Handler.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := func(title, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>%s</title><h1>%s</h1>%s", title, html.EscapeString(title), body)
	}
	cookie := func(name, value string) {
		http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
	switch r.URL.Path {
	case "/":
		if user, err := r.Cookie("session"); err == nil {
			page("Hello "+user.Value, `<a href=/logout>Log out</a>`)
			return
		}
		page("Shop", `<a href=/login>Log in</a> <a href="/login?response_mode=form_post">Log in by form</a>`)
	case "/login":
		verifier, state, nonce := oauth2.GenerateVerifier(), s.own+"/#"+rand.Text(), rand.Text()
		cookie("flow", url.Values{"v": {verifier}, "s": {state}, "n": {nonce}}.Encode())
		options := []oauth2.AuthCodeOption{oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)}
		if mode := r.FormValue("response_mode"); mode != "" {
			options = append(options, oauth2.SetAuthURLParam("response_mode", mode))
		}
		http.Redirect(w, r, s.config.AuthCodeURL(state, options...), http.StatusFound)
	case "/callback":
		user, err := s.logIn(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		cookie("session", user)
		http.Redirect(w, r, s.own+"/", http.StatusSeeOther)
	case "/logout":
		http.SetCookie(w, &http.Cookie{Name: "session", Path: "/", MaxAge: -1})
		var found struct {
			End string `json:"end_session_endpoint"`
		}
		if err := s.provider.Claims(&found); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.Redirect(w, r, found.End+"?"+url.Values{"post_logout_redirect_uri": {s.own + "/bye"}, "state": {"x"}}.Encode(), http.StatusFound)
	case "/bye":
		page("Bye", "")
	default:
		http.NotFound(w, r)
	}
}

// logIn verifies what the provider has sent its user back with.
func (s *shop) logIn(r *http.Request) (user string, err error) {
	cookie, err := r.Cookie("flow")
	if err != nil {
		return "", err
	}
	flow, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return "", err
	}
	if r.FormValue("state") != flow.Get("s") || r.FormValue("iss") != "" && r.FormValue("iss") != s.issuer() {
		return "", fmt.Errorf("state %q, issuer %q", r.FormValue("state"), r.FormValue("iss"))
	}
	token, err := s.config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(flow.Get("v")))
	if err != nil {
		return "", err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := s.provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(r.Context(), raw)
	if err != nil {
		return "", err
	}
	if id.Nonce != flow.Get("n") {
		return "", fmt.Errorf("nonce %q", id.Nonce)
	}
	return id.Subject, nil
}

func (s *shop) issuer() string {
	var found struct{ Issuer string }
	s.provider.Claims(&found)
	return found.Issuer
}

// startShop starts a provider and an app, which have names of their own as far as cookies
// know, and one name for a cookie.
func startShop(t *testing.T, framed bool) (app, issuer string) {
	t.Helper()
	serve := func(host string, h http.Handler) string {
		ln, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: h}
		go srv.Serve(ln)
		t.Cleanup(func() { srv.Close() })
		return "http://" + ln.Addr().String()
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p, s := &provider{key: key, framed: framed, codes: map[string]url.Values{}}, &shop{}
	p.issuer, s.own = serve("127.0.0.2", p), serve("127.0.0.1", s)
	p.callback, p.afterLogout = s.own+"/callback", s.own+"/bye"
	if s.provider, err = oidc.NewProvider(context.Background(), p.issuer); err != nil {
		t.Fatal(err)
	}
	s.config = oauth2.Config{ClientID: clientID, Endpoint: s.provider.Endpoint(), RedirectURL: p.callback, Scopes: []string{oidc.ScopeOpenID}}
	return s.own, p.issuer
}
