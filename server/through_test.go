package server

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
)

// throughEnv has start start a server behind another node.
const throughEnv = "CDPHUB_THROUGH"

// suite are the tests of what Clients and Hosts get, and notSuite those among them that
// are about the node that is asked: which tokens it has read, where it listens, which
// sandboxes it has made, what its own home page counts.
const (
	suite = "^(TestRoundTrip|TestF02|TestDialog|TestUploads|TestPlain|TestDialect|TestDownloads|TestR2[0-57][A-Z]|TestR20[0-9]|TestR213|TestR214|TestR215|TestR17|TestR18|TestSessions|TestUnknownSessions|" +
		"TestActions|TestTimeline|TestStandby|TestHooks|TestMCP|TestAgents|TestWhoMayConnect|TestDiscovery|TestClientName|TestPageSock|TestR8|TestR325Own)"
	notSuite = "TestR178|TestR172OwnTabsHideOtherClients|TestR204SessionsEndWithTheirSandbox|TestR27RevokedTokensCloseConnections|TestR24Sandboxes|TestDialectsLeaveNothing"
)

// S-01: what Clients and Hosts get is the same through another node.
func TestS01SuiteThroughAnotherNode(t *testing.T) {
	t.Parallel()
	if os.Getenv(throughEnv) != "" {
		t.Skip("this is the suite")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", suite, "-test.skip", notSuite) //nolint:gosec // this binary
	cmd.Env = append(os.Environ(), throughEnv+"=1")
	out, err := cmd.CombinedOutput()
	passed := strings.Count(string(out), "\n--- PASS")
	if err != nil || passed < 40 {
		t.Fatalf("%v: %d tests passed\n%s", err, passed, out)
	}
	t.Logf("%d tests passed", passed)
}

// allAt is the directory of a node that finds every hub at another one.
type allAt struct {
	*cluster.MemoryNode
	owner *Server
}

// Owner implements cluster.Directory.
func (a allAt) Owner(ctx context.Context, hub string) (cluster.Owner, error) {
	if _, _, err := a.owner.cluster.Locate(ctx, hub); err != nil {
		return cluster.Owner{}, err
	}
	return a.owner.cluster.Directory.Owner(ctx, hub)
}

// startThrough starts a server, and another that passes everything on to it: the
// addresses are those of the other one.
func startThrough(t *testing.T, o Options) (started, error) {
	t.Helper()
	keys := clusterKeys(t)
	all := new(cluster.Memory)
	join := func(o Options, name string, wrap func(*cluster.MemoryNode) cluster.Directory) (*Server, error) {
		c := keys
		var err error
		if c.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		c.Directory = wrap(all.Join(cluster.Node{ID: name, Name: name, Peer: c.Listener.Addr().String()}))
		o.Cluster = &c
		s, err := New(o)
		if err != nil {
			c.Listener.Close()
		}
		return s, err
	}
	owner, err := join(o, "owner", func(n *cluster.MemoryNode) cluster.Directory { return n })
	if err != nil {
		return started{}, err
	}
	entry := o
	entry.AdminAddr, entry.Listeners.Admin = "", nil
	asked, err := join(entry, "asked", func(n *cluster.MemoryNode) cluster.Directory { return allAt{n, owner} })
	if err != nil {
		t.Fatal(err)
	}
	s := startServer(t, owner)
	startServer(t, asked)
	s.asked = asked
	return s, nil
}
