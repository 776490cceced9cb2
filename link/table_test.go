package link

import (
	"errors"
	"testing"
	"time"

	"github.com/cdphub/cdphub/wsconn"
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
