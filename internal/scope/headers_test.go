package scope

import (
	"strings"
	"testing"
)

// TestR299SecretHeaders walks header fields whose values are credentials, and others with
// names alike, in the spellings of HTTP/1 and HTTP/2.
func TestR299SecretHeaders(t *testing.T) {
	for names, secret := range map[string]bool{
		"Authorization Proxy-Authorization Cookie Set-Cookie X-Api-Key X-Auth-Token X-CSRF-Token X-XSRF-Token X-Amz-Security-Token Sec-WebSocket-Protocol X-Auth Api-Auth X-Session App-Session": true,
		"Accept Author Content-Type Referer Location Origin User-Agent Sec-WebSocket-Version X-Request-Id Authority-Of Sessions-Open":                                                            false,
	} {
		for _, name := range strings.Fields(names) {
			for _, spelled := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
				if secretHeader(spelled) != secret {
					t.Errorf("%s is a secret: %v, want %v", spelled, !secret, secret)
				}
			}
		}
	}
}
