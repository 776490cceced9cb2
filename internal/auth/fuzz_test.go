package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// FuzzSignedToken wants no grant for a token that its key has not signed.
func FuzzSignedToken(f *testing.F) {
	exp := map[string]any{"role": "client", "exp": 9_999_999_999}
	f.Add(sign(f, jose.HS256, []byte(hmacSecret), "k", exp))
	f.Add(sign(f, jose.HS256, []byte(strings.Repeat("x", 32)), "k", exp))
	f.Add(unsigned(`{"alg":"none"}`, `{"role":"client","exp":9999999999}`))
	f.Add(unsigned(`{"alg":"HS256","crit":["b64"],"b64":false}`, "x"))
	f.Add("..")
	keys, err := parseKeys([]byte(hmacSecret))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, token string) {
		g, err := verifyToken(keys, NewSecret(token), time.Now())
		if err != nil {
			if !reflect.DeepEqual(g, Grant{}) {
				t.Fatalf("%q: a grant %+v beside the error %v", token, g, err)
			}
			return
		}
		cut := strings.LastIndexByte(token, '.')
		mac := hmac.New(sha256.New, []byte(hmacSecret))
		mac.Write([]byte(token[:cut]))
		signature, err := base64.RawURLEncoding.DecodeString(token[cut+1:])
		if err != nil || !hmac.Equal(signature, mac.Sum(nil)) {
			t.Fatalf("%q: a grant %+v without a good signature", token, g)
		}
	})
}

// FuzzTokensFile wants whatever file is taken to grant only what it says: to
// roles that there are, by tokens that cannot be guessed.
func FuzzTokensFile(f *testing.F) {
	f.Add([]byte("tokens: [{name: a, token: 0123456789abcdef, role: client, hub: '*', scope: full, expires: 2030-01-01}]\nrevoked: [x]"))
	f.Add([]byte("tokens: [{sha256: " + NewSecret("x").Hash() + ", role: host}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("tokens: [{<<: {role: admin}, token: x}]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		entries, revoked, err := parseFile(raw)
		if err != nil {
			if entries != nil || revoked != nil {
				t.Fatal("tokens beside an error")
			}
			return
		}
		for _, e := range entries {
			g := e.grant
			if g.Role != RoleClient && g.Role != RoleHost && g.Role != RoleAdmin || g.Scope < ScopeReadonly || g.Scope > ScopePrivileged ||
				g.Hub != "" && g.Hub != EveryHub && !validHub(g.Hub) {
				t.Fatalf("granted %+v", g)
			}
			for _, guess := range []string{"", "0123456789"} {
				if e.digest.is(digestOf(NewSecret(guess))) && !strings.Contains(string(raw), "sha256") {
					t.Fatalf("%q is a token", guess)
				}
			}
		}
	})
}

// FuzzKeyFile wants whatever file is taken as a key to be a public key or a
// long secret, and nothing that is PEM, JSON or SSH to be a secret.
func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(hmacSecret))
	f.Add([]byte("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"))
	f.Add([]byte(`{"keys":[{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}`))
	f.Add([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		keys, err := parseKeys(raw)
		if err != nil {
			return
		}
		for _, k := range keys {
			alg, err := algorithmOf(k.material)
			if err != nil || alg != k.alg {
				t.Fatalf("a key %T for %s: %v", k.material, k.alg, err)
			}
			if _, secret := k.material.([]byte); secret && strings.Contains(string(raw), "-----BEGIN") {
				t.Fatal("PEM was taken for a secret")
			}
		}
	})
}
