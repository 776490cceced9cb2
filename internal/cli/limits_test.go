package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge/page"
	"github.com/cdphub/cdphub/server"
)

// parsed is the options of `cdphub serve` with some arguments.
func parsed(t *testing.T, args ...string) hubFlags {
	t.Helper()
	var c cli
	p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(append([]string{"serve"}, args...)); err != nil {
		t.Fatal(err)
	}
	return c.Serve.hubFlags
}

func TestLimitDefaults(t *testing.T) {
	got := parsed(t).limitFlags.options()
	want := server.Limits{
		MaxClientMessage: 100 << 20, MaxClientQueue: 32 << 20, MaxClientQueued: 32768,
		MaxHostMessage: 256 << 20, MaxHostQueue: 64 << 20, MaxHostQueued: page.Limits().MaxQueued,
		MaxConnections: 4096, MaxClients: 1024, MaxSessions: 65536, MaxClientSessions: 8192, MaxClientCalls: 4096, MaxCalls: 65536, MaxLinks: 256,
		PingEvery: 25 * time.Second, PongWithin: 10 * time.Second, MessageTimeout: time.Minute, WriteTimeout: 10 * time.Second, LinkGrace: 2 * time.Minute, HostGrace: 30 * time.Second, NamedGrace: 30 * time.Minute, MaxNamed: 16, NamedMemory: 8 << 20,
		DownloadAge: time.Hour, DownloadSize: 1 << 30, MaxDownloads: 100,
	}
	if got != want {
		t.Errorf("the limits are %+v, want %+v", got, want)
	}
}

// TestR93BudgetIsRead reads a size.
func TestR93BudgetIsRead(t *testing.T) {
	if f := parsed(t, "--memory-budget=1.5GB"); f.MemoryBudget != 1_500_000_000 {
		t.Errorf("1.5GB is read as %d", f.MemoryBudget)
	}
}

// TestLimitsRefused gives values that must never be read as "unlimited".
func TestLimitsRefused(t *testing.T) {
	p, err := newParser(new(cli), "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{
		"max-client-message", "max-host-message", "max-client-queue", "max-host-queue", "max-client-queued", "max-host-queued",
		"max-clients", "max-client-sessions", "max-client-calls", "max-calls",
		"ping-every", "pong-within", "message-timeout", "write-timeout", "memory-budget",
	} {
		for _, value := range []string{"-1", "-1s", "-1MiB", "0", "0s", "", "none", "1e400", "99999999999999999999"} {
			arg := "--" + flag + "=" + value
			_, err := p.Parse([]string{"serve", arg})
			if err == nil || !strings.Contains(err.Error(), "--"+flag) || !strings.Contains(err.Error(), "above 0") {
				t.Errorf("%s: got %v, want a refusal that names the option and says what is right", arg, err)
			}
		}
	}
}
