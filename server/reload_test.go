package server

import (
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR353ReloadSaysWhetherTokensWereRead reloads a file of tokens that is broken, and one that is good again.
func TestR353ReloadSaysWhetherTokensWereRead(t *testing.T) {
	t.Parallel()
	out := &logtest.Buffer{}
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), out, zap.InfoLevel))
	const good = "tokens: [{token: token-in-the-file, role: client}]"
	change, rewrite := withFile(t, good)
	s := startLogged(t, log, change)
	rewrite("tokens: [")
	s.Reload()
	out.Await(t, `"reload failed: what was loaded before stays in use","what":"tokens"`)
	if text := out.String(); strings.Contains(text, `"msg":"reloaded"`) || !strings.Contains(text, "not a YAML file") {
		t.Errorf("the log says %s", text)
	}
	rewrite(good)
	s.Reload()
	out.Await(t, `"msg":"reloaded","what":"tokens"`)
}

// TestR353ChangedTokensSayWhyTheyEnd lowers what a token has, in each way, beside one that is revoked.
func TestR353ChangedTokensSayWhyTheyEnd(t *testing.T) {
	t.Parallel()
	const host, other, token = "  - {token: token-of-the-host, role: host, hub: '*'}\n", "  - {token: another-token-12, role: client}\n", "token-that-loses"
	entry := func(more string) string { return "  - {token: " + token + ", role: client, " + more + "}\n" }
	const before = "limits: {tabs: 20}, scope: standard, hub: '*'"
	for name, tt := range map[string]struct {
		after string
		want  wsconn.Reason
	}{
		"lower limit": {entry("limits: {tabs: 10}, scope: standard, hub: '*'"), wsconn.ReasonTokenChanged},
		"new limit":   {entry("limits: {tabs: 20, clients: 3}, scope: standard, hub: '*'"), wsconn.ReasonTokenChanged},
		"lower scope": {entry("limits: {tabs: 20}, scope: readonly, hub: '*'"), wsconn.ReasonTokenChanged},
		"one hub":     {entry("limits: {tabs: 20}, scope: standard"), wsconn.ReasonTokenChanged},
		"share":       {entry(before + ", share: team"), wsconn.ReasonTokenChanged},
		"own tabs":    {entry(before + ", tabs: own"), wsconn.ReasonTokenChanged},
		"revoked":     {"", wsconn.ReasonTokenRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, rewrite := withFile(t, "tokens:\n"+other+host+entry(before))
			s := start(t, change)
			s.paired(t, "token-of-the-host")
			c := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(token))
			c.attach()
			rewrite("tokens:\n" + other + host + tt.after)
			s.Reload()
			if got := c.reason(); got != tt.want {
				t.Errorf("closed with %v, want %v", got, tt.want)
			}
		})
	}
}
