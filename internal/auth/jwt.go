package auth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	// audience must be among the "aud" of a signed token that has any.
	audience = "cdphub"
	// leeway is how far the signer's clock may be ahead of ours.
	leeway = 10 * time.Second
	// minHMAC is the least length of an HS256 secret in bytes (RFC 7518,
	// section 3.2).
	minHMAC = 32
	minRSA  = 2048 // bits
)

// key verifies signatures. The algorithm is that of the key's kind, whatever a token says.
// A token that could choose the algorithm could have its signature checked with a public
// key as an HMAC secret (RFC 8725, sections 2.1 and 3.1).
type key struct {
	id       string // "kid"; "" where the key has none
	alg      jose.SignatureAlgorithm
	material any
}

// parseKeys reads a key file: an Ed25519 public key in PEM, a JWK set in JSON,
// or else the bytes of an HS256 secret.
func parseKeys(raw []byte) ([]key, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))
	switch {
	case len(text) == 0:
		return nil, errors.New("the file is empty")
	case text[0] == '{', text[0] == '[':
		return parseSet(text)
	case isPEM(text): // never a secret: it may be known to all
		return parsePEM(text)
	case bytes.HasPrefix(text, []byte("ssh-")):
		return nil, errors.New("the file is an SSH key: convert it to PEM with `ssh-keygen -e -m PKCS8`")
	case len(text) < minHMAC:
		return nil, fmt.Errorf("the secret has %s, which could be guessed: HS256 needs at least %d", english.Plural(len(text), "byte", ""), minHMAC)
	}
	return []key{{"", jose.HS256, bytes.Clone(text)}}, nil
}

// isPEM reports whether a text is PEM, whatever stands before it (RFC 7468, section 2).
func isPEM(text []byte) bool { return bytes.Contains(text, []byte("-----BEGIN")) }

// parsePEM reads one public key: SubjectPublicKeyInfo (RFC 7468, section 13).
func parsePEM(text []byte) ([]key, error) {
	block, rest := pem.Decode(text)
	if block == nil || isPEM(rest) {
		return nil, errors.New("the file must have one key in PEM: use a file for each key, or a JWK set")
	}
	if block.Type != "PUBLIC KEY" {
		return nil, fmt.Errorf("the PEM is a %q: use the public key, which `openssl pkey -pubout` writes", block.Type)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the public key: %w", err)
	}
	alg, err := algorithmOf(public)
	return []key{{"", alg, public}}, err
}

// parseSet reads a JWK set (RFC 7517, section 5). Keys for encryption are left out; a
// private one is an error.
func parseSet(text []byte) ([]key, error) {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New("the file is not a JWK set: it must be {\"keys\":[…]} with complete keys")
	}
	var keys []key
	for i, k := range set.Keys {
		// RFC 7517, section 4.2: "enc" is for encryption.
		if k.Use != "" && k.Use != "sig" {
			continue
		}
		alg, err := algorithmOf(k.Key)
		if err == nil && k.Algorithm != "" && k.Algorithm != string(alg) {
			err = fmt.Errorf("its alg is %q, and this kind of key is used with %s only", k.Algorithm, alg)
		}
		if err != nil {
			return nil, fmt.Errorf("key %d (%q): %w", i+1, k.KeyID, err)
		}
		keys = append(keys, key{k.KeyID, alg, k.Key})
	}
	if len(keys) == 0 {
		return nil, errors.New("the JWK set has no key for signatures")
	}
	return keys, nil
}

// algorithmOf is the one that a kind of key is used with. RFC 7518, section 3.1, has the
// names, and RFC 8037 EdDSA. P-256 is the only curve of ES256.
func algorithmOf(material any) (jose.SignatureAlgorithm, error) {
	switch k := material.(type) {
	case []byte:
		if len(k) < minHMAC {
			return "", fmt.Errorf("the secret has %s: HS256 needs at least %d", english.Plural(len(k), "byte", ""), minHMAC)
		}
		return jose.HS256, nil
	case ed25519.PublicKey:
		return jose.EdDSA, nil
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return jose.ES256, nil
		}
	case *rsa.PublicKey:
		if k.N.BitLen() >= minRSA {
			return jose.RS256, nil
		}
	case ed25519.PrivateKey, *ecdsa.PrivateKey, *rsa.PrivateKey:
		return "", errors.New("it is private: the hub needs the public key only")
	}
	return "", errors.New("its kind is not supported: use Ed25519, P-256, RSA of 2048 bits or more, or a secret")
}

// claims are what a signed token says. The first six are those of RFC 7519, section 4.1;
// the others are the hub's own, and spelled as in a tokens file.
//
//	{"aud":"cdphub","exp":1800000000,"iat":1799996400,"jti":"…","sub":"ci","role":"client","scope":"full"}
type claims struct {
	Audience  jwt.Audience     `json:"aud,omitempty"`
	Expires   *jwt.NumericDate `json:"exp,omitempty"`
	IssuedAt  *jwt.NumericDate `json:"iat,omitempty"`
	NotBefore *jwt.NumericDate `json:"nbf,omitempty"`
	ID        string           `json:"jti,omitempty"`
	Subject   string           `json:"sub,omitempty"`
	Hub       string           `json:"hub,omitempty"`
	Role      string           `json:"role"`
	Scope     string           `json:"scope,omitempty"`
	Hooks     []string         `json:"hooks,omitzero"` // an empty list is not a missing one
	Tabs      string           `json:"tabs,omitempty"`
	Session   string           `json:"session,omitempty"`
	Grace     string           `json:"grace,omitempty"`
	Share     string           `json:"share,omitempty"`
	Limits    map[string]int64 `json:"limits,omitempty"`
}

// verifyToken reads a signed token. The error wraps errUnknown unless one of the
// keys has signed it. The header's kid only chooses among the keys, and is not trusted for
// anything else.
func verifyToken(keys []key, s Secret, now time.Time) (Grant, error) {
	var algs []jose.SignatureAlgorithm
	for _, k := range keys {
		algs = append(algs, k.alg)
	}
	if len(algs) == 0 || !isCanonical(s.text()) {
		return Grant{}, errUnknown
	}
	token, err := jwt.ParseSigned(s.text(), algs)
	if err != nil {
		return Grant{}, fmt.Errorf("%w, nor is it signed with an algorithm of a known key", errUnknown)
	}
	var c claims
	header := token.Headers[0]
	for _, k := range keys {
		if string(k.alg) != header.Algorithm || k.id != "" && header.KeyID != "" && k.id != header.KeyID {
			continue
		}
		// Without a kid each key of the algorithm is tried, the first that verifies counts.
		if token.Claims(k.material, &c) == nil {
			return c.grant(now)
		}
	}
	return Grant{}, fmt.Errorf("%w, nor is its signature that of a known key", errUnknown)
}

// isCanonical reports whether a token is written as its signer writes it. The
// library decodes each part, ignoring line ends and the last bits that encode
// nothing, and checks the signature of what that means: one signature would be
// good for many texts.
func isCanonical(token string) bool {
	for part := range strings.SplitSeq(token, ".") {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || base64.RawURLEncoding.EncodeToString(raw) != part {
			return false
		}
	}
	return true
}

// grant checks the claims. exp must be there, though RFC 7519 does not ask for it: a token
// that is lost must end. No leeway is given for it, only for nbf and iat.
func (c claims) grant(now time.Time) (Grant, error) {
	switch {
	case c.Expires == nil:
		return Grant{}, errors.New("the token has no exp, so it would never expire")
	case len(c.Audience) > 0 && !c.Audience.Contains(audience):
		return Grant{}, fmt.Errorf("the token's aud is not %q", audience)
	case c.NotBefore != nil && now.Add(leeway).Before(c.NotBefore.Time()),
		c.IssuedAt != nil && now.Add(leeway).Before(c.IssuedAt.Time()):
		return Grant{}, errors.New("the token is not yet valid (nbf, iat)")
	}
	e := FileEntry{
		Name: c.Subject, Role: c.Role, Hub: c.Hub, Scope: c.Scope, Expires: new(c.Expires.Time()), Hooks: c.Hooks,
		Tabs: c.Tabs, Session: c.Session, Grace: c.Grace, Share: c.Share, Limits: c.Limits,
	}
	g, err := e.Grant()
	if err != nil {
		return Grant{}, fmt.Errorf("the token's %w", err)
	}
	g.ID = c.ID
	return unlessExpired(g, now)
}
