package auth

import (
	"crypto/rsa"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to the lengths of secrets, keys, names and files.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	limittest.Reach(t, "minSecret", -minSecret, func(n int) bool { return NewSecret(x(-n)).checkLength() == nil })
	limittest.Reach(t, "minHMAC", -minHMAC, func(n int) bool { _, err := parseKeys([]byte(x(-n))); return err == nil })
	limittest.Reach(t, "minHMAC of a set", -minHMAC, func(n int) bool { _, err := algorithmOf([]byte(x(-n))); return err == nil })
	limittest.Reach(t, "minRSA", -minRSA, func(n int) bool {
		_, err := algorithmOf(&rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), uint(-n-1))})
		return err == nil
	})
	limittest.Reach(t, "maxSession", maxSession, func(n int) bool {
		g := Grant{Role: RoleClient}
		return g.readSession(FileEntry{Session: x(n)}) == nil
	})
	limittest.Reach(t, "maxHub", maxHub, func(n int) bool { return validHub(x(n)) })
	limittest.Reach(t, "longest origin in a refusal", 256, func(n int) bool { return cutOrigin(x(n)) == x(n) })
	limittest.Reach(t, "most of a file", 16<<20, func(n int) bool {
		path := filepath.Join(t.TempDir(), "tokens")
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readSource(path)
		return err == nil
	})
}
