package chaos

import (
	"context"
	"testing"

	"github.com/cdphub/cdphub/server"
)

// inside is a server in this process, for the tests that read its counters.
type inside struct {
	place
	*server.Server
}

// startInside runs a server with these limits, one listener and one address.
func startInside(t testing.TB, limits server.Limits) *inside {
	t.Helper()
	limits.MaxConnections = 1 << 20 // all come from one address
	srv, err := server.New(server.Options{ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &inside{place{srv.ClientAddr(), srv.HostAddr()}, srv}
}
