package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/remote"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server"
)

// TestR175RemoteAgentIsPaused drives a page as `cdphub mcp --url` does, while a person
// has it: it reads, and acts neither by commands nor by script.
func TestR175RemoteAgentIsPaused(t *testing.T) {
	browsertest.SkipShort(t)
	s, err := server.New(server.Options{
		ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0", Drain: time.Millisecond,
		Browsers: &server.Browsers{Chrome: chrome.Options{NoSandbox: os.Geteuid() == 0}, Hubs: []string{"real"}, Max: 1, Idle: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer hubtest.Run(t, s.Run)()
	b, err := actions.Open(t.Context(), remote.Join("ws://"+s.ClientAddr()+"/hub/real/devtools/browser", nil), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, err := b.NewPage(t.Context(), "about:blank", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Evaluate(t.Context(), "document.body.innerHTML = '<input><p>text'", actions.EvaluateOptions{}); err != nil {
		t.Fatal(err)
	}
	hub, release, err := s.Hub(t.Context(), "real")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ann, err := hub.JoinLocal(relay.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer ann.Leave()
	fill := func() error { return p.Fill(t.Context(), actions.CSS("input"), "x", actions.FillOptions{}) }
	if err := fill(); err != nil {
		t.Fatal(err)
	}
	if err := ann.Take(p.ID, "Ann", relay.LeaseOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := fill(); actions.KindOf(err) != actions.Paused || !strings.Contains(err.Error(), "paused: Ann has the page") {
		t.Errorf("it fills a field: %v", err)
	}
	if v, err := p.Evaluate(t.Context(), "document.querySelector('p').textContent", actions.EvaluateOptions{}); err != nil || string(v.JSON) != `"text"` {
		t.Errorf("it reads %s, %v", v.JSON, err)
	}
	if err := ann.Release(p.ID); err != nil {
		t.Fatal(err)
	}
	if err := fill(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
