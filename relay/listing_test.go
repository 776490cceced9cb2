package relay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// TestListingAfterChanges changes Targets at random, and wants the answer to
// getTargets to be what it is when all of it is written anew.
func TestListingAfterChanges(t *testing.T) {
	h := newHub(t, Options{})
	host := setHost(h, &mute{}, list(20))
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	titles := []string{
		"", "a title", `"`, `{"targetId":"T3","type":"page"`, `{`, `,`, "\\", `,"browserContextId":"` + h.contextID + `"}`, "ü\u2028", string(bytes.Repeat([]byte("long "), 200)),
	}
	relisted := 0
	for range 3000 {
		for range rand.IntN(6) {
			id := fmt.Sprintf("T%d", rand.IntN(22))
			switch rand.IntN(8) {
			case 0:
				host.TargetGone(id)
			case 1:
				host.TargetCreated(targets.Info{ID: id, Title: titles[rand.IntN(len(titles))]})
			case 2:
				c.Receive(fmt.Appendf(nil, `{"id":1,"method":"Target.attachToTarget","params":{"targetId":%q}}`, id))
			case 3:
				for s := range c.sessions {
					c.Receive(fmt.Appendf(nil, `{"id":1,"method":"Target.detachFromTarget","params":{"sessionId":%q}}`, s.ID))
					break
				}
			default:
				host.TargetChanged(targets.Info{ID: id, Title: titles[rand.IntN(len(titles))], URL: "https://" + id, OpenerID: "T0"})
			}
		}
		h.mu.Lock()
		if !h.listing.stale && len(h.listing.changed) > 0 {
			relisted++
		}
		got := h.listingLocked(c)
		want := h.appendTargetsLocked(nil, c, targets.Usual)
		h.mu.Unlock()
		if !bytes.Equal(got, want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
	if relisted < 100 {
		t.Errorf("Targets were listed anew one by one %d times, want more", relisted)
	}
}
