package named

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// TestR203MemoryIsBounded has two bearers fill their sessions, and end thousands.
func TestR203MemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owner, total = 64 << 10, 96 << 10
		r := newRig(t, Options{Sessions: 4, Bytes: 32 << 10, OwnerBytes: owner, TotalBytes: total})
		var links []*Link
		for _, bearer := range []string{"a", "b"} {
			for n := range 4 {
				link, _ := r.join(bearer, fmt.Sprintf("session=s%d&resume=on", n))
				links = append(links, link)
			}
			if _, _, err := r.try(bearer, "session=s4"); !errors.Is(err, ErrTooMany) {
				t.Errorf("a fifth session: %v", err)
			}
		}
		for id := range 2000 {
			for _, link := range links {
				ask(link, id)
			}
			if n := r.sessions.total.bytes.Load(); n > total+1024 {
				t.Fatalf("%d bytes are kept", n)
			}
		}
		for k, of := range r.sessions.owners {
			if n := of.bytes.Load(); n > owner+1024 || n < owner/4 {
				t.Errorf("%q keeps %d bytes", k.Bearer, n)
			}
		}
		for n := range 10_000 {
			r.join("c", fmt.Sprintf("session=n%d&resume=on", n))
			r.sessions.End(r.key("c", fmt.Sprintf("n%d", n)))
		}
		p := &r.sessions.gone
		if p.ended.Len() != 256 || len(p.count) != 1 {
			t.Errorf("%d names of %d bearers are remembered", p.ended.Len(), len(p.count))
		}
		for n := range 300 * 64 {
			p.add(r.key(fmt.Sprint(n%300), fmt.Sprint(n)), deleted, &r.sessions.o)
		}
		if p.ended.Len() != maxRemembered {
			t.Errorf("%d names are remembered", p.ended.Len())
		}
		for n := range 4 {
			r.sessions.End(r.key("a", fmt.Sprintf("s%d", n)))
			r.sessions.End(r.key("b", fmt.Sprintf("s%d", n)))
		}
		if n := r.sessions.total.bytes.Load(); n != 0 || r.hub.Clients() != 0 {
			t.Errorf("%d bytes and %d Clients are left", n, r.hub.Clients())
		}
	})
}

// TestCrowd has many connections come, go and end at once, to be run with -race.
func TestCrowd(t *testing.T) {
	r := newRig(t, Options{Bytes: 4 << 10, OwnerBytes: 8 << 10})
	hold := func(func(wsconn.Reason)) func() { return func() {} }
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 100 {
				w := Request{Name: fmt.Sprintf("s%d", i%3), Grace: time.Hour, Fresh: (i+n)%7 == 0, Numbered: true}
				client, err := r.hub.Admit(relay.ClientOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				l := new(line)
				link, err := r.sessions.Join(r.key("a", w.Name), &w, l, &Begin{Client: client, Release: func() {}, Hold: hold})
				if err != nil {
					client.Leave()
					continue
				}
				for id := range 10 {
					ask(link, id)
				}
				if i%5 == n%5 {
					r.sessions.End(r.key("a", w.Name))
				}
				link.Left()
			}
		})
	}
	all.Wait()
	for n := range 3 {
		r.sessions.End(r.key("a", fmt.Sprintf("s%d", n)))
	}
	if n := r.sessions.total.bytes.Load(); n != 0 || r.hub.Clients() != 0 || len(r.sessions.live) != 0 || len(r.sessions.owners) != 0 {
		t.Errorf("%d bytes, %d Clients and %d sessions are left", n, r.hub.Clients(), len(r.sessions.live))
	}
}

// TestR249NamedSessionsOfOthers has one token keep messages at many hubs: it loses its
// own, and not those of the token that has most at one hub.
func TestR249NamedSessionsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const total = 64 << 10
		r := newRig(t, Options{Bytes: 32 << 10, OwnerBytes: 32 << 10, TotalBytes: total})
		quiet, _ := r.join("b", "session=s&resume=on")
		fill := func(link *Link, bytes int64) {
			before := r.sessions.total.bytes.Load()
			for id := 0; r.sessions.total.bytes.Load() < before+bytes && id < 2000; id++ {
				ask(link, id)
			}
		}
		fill(quiet, 16<<10)
		for n := range 20 {
			r.name = fmt.Sprint("hub", n)
			link, _ := r.join("a", "session=s&resume=on")
			fill(link, 6<<10)
		}
		r.name = ""
		fill(quiet, 8<<10) // whoever adds to what is too much is not who has most
		var used int64
		r.sessions.Usage(func(p quota.Payer, bytes int64) {
			if p.ID == "b" {
				used += bytes
			}
		})
		if used < 24<<10 {
			t.Errorf("b keeps %d bytes", used)
		}
		for k := range maps.Clone(r.sessions.live) {
			r.sessions.End(k)
		}
	})
}
