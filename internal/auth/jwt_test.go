package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const hmacSecret = "a secret of at least 32 bytes, for HS256"

// sign makes a signed token of any claims.
func sign(t testing.TB, alg jose.SignatureAlgorithm, k any, kid string, claims any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: k, KeyID: kid}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func pemOf(t testing.TB, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func publicPEM(t testing.TB, k any) string {
	der, err := x509.MarshalPKIXPublicKey(k)
	return pemOf(t, "PUBLIC KEY", der, err)
}

func jwks(t testing.TB, keys ...jose.JSONWebKey) string {
	t.Helper()
	out, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func unsigned(header, claims string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(header)) + "." + enc([]byte(claims)) + "."
}

// newKeys makes a pair of keys, the private key of another pair, and keys of two
// other kinds.
func newKeys(t *testing.T) (ed25519.PublicKey, ed25519.PrivateKey, ed25519.PrivateKey, *ecdsa.PrivateKey, *rsa.PrivateKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return public, private, other, ec, rs
}

func TestSignedTokens(t *testing.T) {
	public, private, strange, ec, rs := newKeys(t)
	publicFile := publicPEM(t, public)
	tokens, err := NewTokens(TokenOptions{
		File: write(t, "tokens.yaml", "revoked: [taken-back]\n"),
		Keys: []string{
			write(t, "hmac", hmacSecret+"\n"),
			write(t, "ed25519.pem", publicFile),
			write(t, "jwks.json", jwks(t, jose.JSONWebKey{Key: ec.Public(), KeyID: "ec", Use: "sig"}, jose.JSONWebKey{Key: rs.Public(), KeyID: "rs", Algorithm: "RS256"})),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Unix()
	type m = map[string]any
	with := func(more m) m {
		c := m{"role": "client", "exp": now + 60, "sub": "ci", "jti": "j1", "hub": "h1", "scope": "readonly"}
		for k, v := range more {
			if c[k] = v; v == nil {
				delete(c, k)
			}
		}
		return c
	}
	ed := func(more m) string { return sign(t, jose.EdDSA, private, "", with(more)) }
	good := Grant{Role: RoleClient, Hub: "h1", Scope: ScopeReadonly, Name: "ci", ID: "j1", Expires: time.Unix(now+60, 0)}
	parts := strings.Split(ed(nil), ".")
	other := strings.Split(ed(m{"hub": "*"}), ".")
	tests := []struct {
		name, token, want string // "" is good
	}{
		{"HS256", sign(t, jose.HS256, []byte(hmacSecret), "", with(nil)), ""},
		{"Ed25519", ed(nil), ""},
		{"Ed25519 with a kid that the key has not", sign(t, jose.EdDSA, private, "any", with(nil)), ""},
		{"P-256 of the set", sign(t, jose.ES256, ec, "ec", with(nil)), ""},
		{"RSA of the set", sign(t, jose.RS256, rs, "rs", with(nil)), ""},
		{"RSA without a kid", sign(t, jose.RS256, rs, "", with(nil)), ""},
		{"our audience", ed(m{"aud": []string{"other", "cdphub"}}), ""},
		{"a clock a little ahead", ed(m{"iat": now + 5, "nbf": now + 5}), ""},
		{"another audience", ed(m{"aud": "other"}), `aud is not "cdphub"`},
		{"expired", ed(m{"exp": now - 1}), "token expired"},
		{"no exp", ed(m{"exp": nil}), "no exp"},
		{"not yet", ed(m{"nbf": now + 60}), "not yet valid"},
		{"of the future", ed(m{"iat": now + 60}), "not yet valid"},
		{"revoked", ed(m{"jti": "taken-back"}), "token revoked"},
		{"no role", ed(m{"role": nil}), `role is ""`},
		{"role of another kind", ed(m{"role": 1}), "signature"},
		{"bad hub", ed(m{"hub": "../x"}), `hub is "../x"`},
		{"bad scope", ed(m{"scope": "readonly full"}), "scope is"},
		{"foreign key", sign(t, jose.EdDSA, strange, "", with(nil)), "signature"},
		{"kid of another key", sign(t, jose.RS256, rs, "ec", with(nil)), "signature"},
		{"the public key as a secret", sign(t, jose.HS256, []byte(strings.TrimSpace(publicFile)), "", with(nil)), "signature"},
		{"another algorithm of the key", sign(t, jose.PS256, rs, "rs", with(nil)), "algorithm"},
		{"another hash of the secret", sign(t, jose.HS512, []byte(strings.Repeat(hmacSecret, 2)), "", with(nil)), "algorithm"},
		{"alg none", unsigned(`{"alg":"none"}`, `{"role":"client","exp":9999999999}`), "algorithm"},
		{"no signature", parts[0] + "." + parts[1] + ".", "signature"},
		{"another body", parts[0] + "." + other[1] + "." + parts[2], "signature"},
		{"two parts", parts[0] + "." + parts[1], "algorithm"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := tokens.Check(NewSecret(tt.token))
			switch {
			case tt.want == "" && (err != nil || !reflect.DeepEqual(g, good)):
				t.Errorf("got %+v, %v, want %+v", g, err, good)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !reflect.DeepEqual(g, Grant{})):
				t.Errorf("got %+v, %v, want %q", g, err, tt.want)
			}
		})
	}
}

func TestKeyFiles(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	small := &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 1023), E: 65537}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	privateFile := pemOf(t, "PRIVATE KEY", der, err)
	publicFile := publicPEM(t, public)
	for _, tt := range []struct{ name, file, want string }{
		{"secret", hmacSecret, ""},
		{"secret of 32 bytes", strings.Repeat("x", 32), ""},
		{"short secret", strings.Repeat("x", 31), "has 31 bytes"},
		{"empty", " \n", "is empty"},
		{"public key", publicFile, ""},
		{"public key with words before it", "Key of CI:\n" + publicFile, ""},
		{"two keys", publicFile + publicFile, "one key in PEM"},
		{"cut PEM", publicFile[:60], "one key in PEM"},
		{"private key", privateFile, `"PRIVATE KEY": use the public key`},
		{"small RSA", publicPEM(t, small), "kind is not supported"},
		{"key of SSH", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB5rlgx9Yqj me@here", "an SSH key"},
		{"set", jwks(t, jose.JSONWebKey{Key: public}), ""},
		{"set with a mark before it", "\ufeff" + jwks(t, jose.JSONWebKey{Key: public}), ""},
		{"cut set", jwks(t, jose.JSONWebKey{Key: public})[:40], "not a JWK set"},
		{"list", "[" + strings.Repeat("1,", 40) + "1]", "not a JWK set"},
		{"set of none", `{"keys":[]}`, "no key for signatures"},
		{"set of secrets", jwks(t, jose.JSONWebKey{Key: []byte(hmacSecret)}), ""},
		{"set with a short secret", jwks(t, jose.JSONWebKey{Key: []byte("short")}), "has 5 bytes"},
		{"set with a private key", jwks(t, jose.JSONWebKey{Key: private}), "it is private"},
		{"set for encryption", jwks(t, jose.JSONWebKey{Key: public, Use: "enc"}), "no key for signatures"},
		{"set with a foreign algorithm", jwks(t, jose.JSONWebKey{Key: public, Algorithm: "HS256"}), `its alg is "HS256"`},
	} {
		_, err := parseKeys([]byte(tt.file))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestMint(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	signers := map[string]string{hmacSecret: hmacSecret, pemOf(t, "PRIVATE KEY", der, err): publicPEM(t, public)}
	now := time.Now()
	g := Grant{Role: RoleClient, Hub: "h1", Scope: ScopeFull, Name: "ci", ID: "j1", Limits: "browsers=2 tabs=20"}
	for signer, verifier := range signers {
		token, err := Mint([]byte(signer), g, now, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := NewTokens(TokenOptions{Keys: []string{write(t, "key", verifier)}})
		if err != nil {
			t.Fatal(err)
		}
		want := g
		want.Expires = time.Unix(now.Add(time.Hour).Unix(), 0)
		if got, err := tokens.Check(NewSecret(token)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	for name, tt := range map[string]struct {
		key string
		ttl time.Duration
	}{
		"no time": {hmacSecret, 0}, "public key": {publicPEM(t, public), time.Hour}, "short secret": {"short", time.Hour},
		"set": {jwks(t, jose.JSONWebKey{Key: public}), time.Hour}, "cut PEM": {"-----BEGIN PRIVATE KEY-----\n", time.Hour},
	} {
		if _, err := Mint([]byte(tt.key), g, now, tt.ttl); err == nil {
			t.Errorf("%s: minted", name)
		}
	}
}

func TestR27ChangedKeysEndTokens(t *testing.T) {
	key := write(t, "key", hmacSecret)
	list := write(t, "tokens.yaml", "revoked: []\n")
	synctest.Test(t, func(t *testing.T) {
		tokens, err := NewTokens(TokenOptions{Keys: []string{key}, File: list})
		if err != nil {
			t.Fatal(err)
		}
		mint := func(id string) Secret {
			text, err := Mint([]byte(hmacSecret), Grant{Role: RoleClient, Scope: ScopeFull, ID: id}, time.Now(), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			return NewSecret(text)
		}
		why := map[string]error{}
		for _, id := range []string{"a", "b"} {
			s := mint(id)
			g, err := tokens.Check(s)
			if err != nil {
				t.Fatal(err)
			}
			tokens.Hold(s, g, func(err error) { why[id] = err })
		}
		reload := make(chan chan<- error)
		go tokens.Watch(t.Context(), reload)
		replace(t, list, "revoked: [a]\n")
		read := make(chan error, 1)
		reload <- read
		if err := <-read; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if !errors.Is(why["a"], ErrRevoked) || why["b"] != nil {
			t.Errorf("ended %v, want a by ErrRevoked", why)
		}
		replace(t, key, "quite another secret, also of 32 bytes or more")
		time.Sleep(time.Second)
		synctest.Wait()
		if !errors.Is(why["b"], ErrRevoked) {
			t.Errorf("another key: b ended with %v, want ErrRevoked", why["b"])
		}
	})
}
