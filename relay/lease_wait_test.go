package relay

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

func TestLeaseIsBoundedInWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.take("Ann", LeaseOptions{Wait: time.Hour, Idle: 2 * time.Hour})
		for range int(quota.Table[quota.Paused].Total) {
			l.send(click)
		}
		if got, _ := l.send(click); !strings.Contains(got, "paused") {
			t.Errorf("one too many waits: %q", got)
		}
		l.hub.Drain()
		if got := l.took(); len(got) != int(quota.Table[quota.Paused].Total) || !strings.Contains(got[0], "shutting down") {
			t.Errorf("%d were answered when the hub ended", len(got))
		}
		l.wantsHolder("")
	})
}
