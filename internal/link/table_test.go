package link

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestBackBeforeTheFirst has a peer whose first WebSocket is cut at once come back while
// the hub is still busy with the first: the link is not ended by that.
func TestBackBeforeTheFirst(t *testing.T) {
	for _, c := range []struct {
		name   string
		back   bool
		refuse bool
		want   error
	}{
		{"cut", true, false, nil},
		{"cut and refused", true, true, nil},
		{"refused", false, true, ErrGone},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := Table{Grace: time.Minute, Most: 1}
			join := func(epoch uint64) (Joined, error) {
				return table.Join(Hello{Key: "key", Epoch: epoch}, Peer{Owner: "owner", Place: "here", Local: address("hub"), Remote: address("peer")})
			}
			first, err := join(1)
			if err != nil || !first.Fresh {
				t.Fatal(first, err)
			}
			second := first
			if c.back {
				if second, err = join(2); err != nil {
					t.Fatal(err)
				}
			}
			ours, _ := wsconn.Pipe(Limits(), Limits())
			if c.refuse {
				first.Refuse()
			} else if err := first.Attach(ours); !errors.Is(err, ErrStale) {
				t.Errorf("the first is attached: %v", err)
			}
			ours, _ = wsconn.Pipe(Limits(), Limits())
			if err := second.Attach(ours); !errors.Is(err, c.want) {
				t.Errorf("the newest is attached: %v, want %v", err, c.want)
			}
			second.Pipe.End(ErrGone, wsconn.ReasonShutdown)
		})
	}
}

// TestWhichReasonsEndALink has a link lose its WebSocket by each reason that there is: it waits
// for another one only where that one could go on.
func TestWhichReasonsEndALink(t *testing.T) {
	ends := strings.Fields("Normal TargetClosed Shutdown Protocol TooBig Internal Memory TokenRevoked TokenChanged TokenExpired LinkMoved")
	waits := strings.Fields("Deleted Binary NoStatus Gone Dead InvalidUTF8 BadDeflate Moved SlowConsumer TryAgain TooSlow NoLogin WrongLogins " +
		"Replaced HasBrowser NoReady Fragments SessionTaken SessionEnded")
	source, err := os.ReadFile("../wsconn/reason.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`(?m)^\tReason(\w+) += Reason\{(\d+), "(.*)"\}`).FindAllSubmatch(source, -1) {
		name, text := string(found[1]), string(found[3])
		code, _ := strconv.ParseUint(string(found[2]), 10, 16)
		synctest.Test(t, func(t *testing.T) {
			p := newTestPipe(t, time.Minute, nil)
			newPeer(t, p, 1, 0)
			conn := p.conn
			got := p.detach(conn, wsconn.Reason{Code: uint16(code), Text: text})
			conn.Close(wsconn.ReasonGone)
			if got != slices.Contains(waits, name) || got == slices.Contains(ends, name) {
				t.Errorf("after %s the link waits: %v", name, got)
			}
		})
	}
}
