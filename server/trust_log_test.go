package server

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// TestR31NothingSecretIsLogged goes through what is above at debug level.
func TestR31NothingSecretIsLogged(t *testing.T) {
	t.Parallel()
	out := &logtest.Buffer{}
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), out, zap.DebugLevel))
	key := filepath.Join(t.TempDir(), "key")
	const secret = "the secret that signs, of 32 bytes"
	if err := os.WriteFile(key, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	signed, err := auth.Mint([]byte(secret), auth.Grant{Role: auth.RoleClient, Hub: auth.EveryHub, Scope: auth.ScopeFull, Name: "ci"}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	change, rewrite := withFile(t, "tokens: [{token: token-in-the-file, role: client}]")
	s := startLogged(t, log, func(f *Options) {
		withTokens(f)
		change(f)
		f.Tokens.JWTKeys, f.Tokens.TrustedProxies = []string{key}, []string{"127.0.0.1"}
	})
	host := s.paired(t, hostToken)
	client := s.addr(false)
	for _, token := range []string{clientToken, wrongToken, signed, signed + "x", "token-in-the-file"} {
		for _, path := range []string{"/json/list?token=" + url.QueryEscape(token), "/nothing?token=" + token, "/hub/x/json/new?token=" + token} {
			s.get(t, client, path, nil)
		}
		raw(t, client, handshake("/devtools/browser", "Authorization: Bearer "+token))
		raw(t, client, handshake("/devtools/browser", "Sec-WebSocket-Protocol: bearer."+token))
		raw(t, client, handshake("/devtools/browser?token="+token, "Sec-WebSocket-Key: twice"))
		raw(t, client, handshake("/devtools/browser?token="+token, "Host: evil.example"))
		raw(t, client, asking("GET /json?token="+token+" HTTP/1.1", "Host: localhost", "NUL: \x00"))
		raw(t, s.addr(true), handshake("/icdp/host?token="+token))
	}
	c := dial(t, "ws://"+client+"/devtools/browser", http.Header{"Authorization": {"Bearer " + signed}, "X-Forwarded-For": {"192.0.2.1"}})
	tail := `,"sessionId":"` + c.attach() + `"}`
	c.send(`{"id":1,"method":"Input.insertText","params":{"text":"a-typed-password"}` + tail)
	host.until("a-typed-password")
	host.send(`{"kind":"event","targetId":"T1","method":"Log.entryAdded","params":{"x":"a-secret-event"}}`)
	host.send(`{"kind":"nonsense","x":"a-secret-event"}`)
	c.until("a-secret-event")
	c.send(`{"id":2,"method":"a-secret-method`)
	c.until("-32700")
	rewrite("tokens: [{token: token-in-the-file, role: client, - token-in-the-file")
	s.Reload()
	out.Await(t, "not a YAML file")
	rewrite("tokens: [token-in-the-file]")
	out.Await(t, "cannot unmarshal")
	s.stop()
	text := out.String()
	for _, secret := range []string{
		clientToken, wrongToken, hostToken, adminToken, secret, signed, signed[strings.LastIndexByte(signed, '.')+1:], "token-in", "token=",
		"a-typed-password", "a-secret",
	} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("the log has %q: %s", secret, text[max(0, i-200):min(len(text), i+200)])
		}
	}
	for _, want := range []string{"client came", `"bearer":"ci"`, "login failed", "tokens could not be read again"} {
		out.Await(t, want)
	}
}
