package cli

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR101SecondSignalEnds interrupts a drain that would take ten seconds.
func TestR101SecondSignalEnds(t *testing.T) {
	for _, again := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		clients, hosts := hubtest.FreeAddr(t), hubtest.FreeAddr(t)
		p, host, client := serveT1(t, clients, hosts)
		client.Send(`{"id":2,"method":"A.never","sessionId":"` + client.Attach("T1") + `"}`)
		host.Until(`"A.never"`)
		p.Process.Signal(syscall.SIGTERM)
		p.await("shutting down")
		p.Process.Signal(again)
		var exit *exec.ExitError
		if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("after %v: %v, want exit status 1", again, err)
		}
	}
}
