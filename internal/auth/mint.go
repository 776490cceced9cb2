package auth

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Mint signs a token for a grant, good from now on for as long as ttl says.
// The key is an HS256 secret or an Ed25519 private key in PEM (PKCS #8).
func Mint(keyFile []byte, g Grant, now time.Time, ttl time.Duration) (string, error) {
	if ttl <= 0 {
		return "", errors.New("a token must be valid for some time: set --ttl, such as 24h")
	}
	sk, err := signingKey(keyFile)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(sk, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	c := claims{
		Audience: jwt.Audience{audience},
		Expires:  jwt.NewNumericDate(now.Add(ttl)),
		IssuedAt: jwt.NewNumericDate(now),
		ID:       g.ID,
		Subject:  g.Name,
		Hub:      g.Hub,
		Role:     string(g.Role),
		Scope:    g.Scope.String(),
		Hooks:    g.Hooks,
		Tabs:     g.Tabs(),
		Session:  g.Session,
		Grace:    g.GraceText(),
		Share:    g.Share,
		Limits:   g.Limits.Named(),
	}
	if c.ID == "" {
		c.ID = rand.Text()
	}
	// What would be refused must not be signed.
	if _, err := c.grant(now); err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(c).Serialize()
}

// signingKey reads the key to sign with: what is no PEM is a secret.
func signingKey(raw []byte) (jose.SigningKey, error) {
	text := bytes.TrimSpace(raw)
	if !isPEM(text) {
		keys, err := parseKeys(text)
		if err == nil && (len(keys) != 1 || keys[0].alg != jose.HS256) {
			err = errors.New("a JWK set only verifies: sign with a secret or an Ed25519 private key in PEM")
		}
		if err != nil {
			return jose.SigningKey{}, err
		}
		return jose.SigningKey{Algorithm: jose.HS256, Key: keys[0].material}, nil
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return jose.SigningKey{}, errors.New("the key file is not PEM")
	}
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return jose.SigningKey{}, errors.New("the PEM is not a private key: create one with `openssl genpkey -algorithm ed25519`")
	}
	k, ok := private.(ed25519.PrivateKey)
	if !ok {
		return jose.SigningKey{}, errors.New("the private key is not Ed25519: create one with `openssl genpkey -algorithm ed25519`")
	}
	return jose.SigningKey{Algorithm: jose.EdDSA, Key: k}, nil
}
